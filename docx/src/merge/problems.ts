import { type DataProblem, TemplateError, type TemplateErrorCode } from '../errors.ts';

/**
 * The problems in the data of one document. A merge goes on behind a tag that it cannot fill, and is refused at its end with all of
 * them: who corrects a row wants to do it once.
 */
export interface Problems {
  /** Adds the problem of a tag that could not be filled. Throws an error that is no problem of the data, and all problems when there are too many. */
  note(thrown: unknown, field?: string): void;
  /** Throws all of them, if there are any. */
  end(): void;
}

/** A problem of one tag: the merge can go on behind it. Limits of size and of turns are none of them. */
const OF_A_TAG: ReadonlySet<TemplateErrorCode> = new Set([
  'missing_field',
  'not_a_list',
  'bad_value',
  'bad_image',
  'image_not_given',
  'value_too_long',
  'bad_locale',
]);
/** A sentence of each has to fit into what is kept of an error: 2,000 characters. */
const MOST = 20;
/** A loop over 100,000 items that lack the same field is ended sooner. */
const MOST_NOTED = 1_000;

export function createProblems(): Problems {
  const found = new Map<string, DataProblem>();
  let noted = 0;
  let isFull = false;
  const refuse = (): never => {
    isFull = true;
    throw refusalOf([...found.values()], found.size >= MOST || noted >= MOST_NOTED);
  };
  return {
    note(thrown, field) {
      if (isFull || !(thrown instanceof TemplateError) || !OF_A_TAG.has(thrown.code)) throw thrown;
      const [problem] = thrown.problems;
      noted += 1;
      if (problem !== undefined && !found.has(problem.message))
        found.set(problem.message, field === undefined ? problem : { field, ...problem });
      if (found.size >= MOST || noted >= MOST_NOTED) refuse();
    },
    end() {
      if (found.size > 0) refuse();
    },
  };
}

function refusalOf(problems: readonly DataProblem[], mayBeMore: boolean): TemplateError {
  const [first] = problems;
  const sentences = problems.map(({ message }) => message);
  if (mayBeMore) sentences.push('There may be more: these come first.');
  const { code = 'bad_value', message: _, ...place } = first ?? {};
  return new TemplateError(code, sentences.join(' '), { ...place, problems });
}
