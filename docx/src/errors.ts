/**
 * The faults of a template, its file or its data. A caller shows the sentence to the author: it names
 * the place (part, paragraph, the words around it) and says what to write instead.
 */
export type TemplateErrorCode =
  // the file
  | 'not_a_docx'
  | 'legacy_doc'
  | 'encrypted'
  | 'open_document'
  | 'truncated'
  | 'corrupt_zip'
  | 'too_large'
  | 'too_many_entries'
  | 'too_many_elements'
  | 'dtd_not_allowed'
  | 'malformed_xml'
  | 'too_deep'
  | 'too_complex'
  | 'unsupported_encoding'
  // the tags
  | 'unclosed_tag'
  | 'bad_tag'
  | 'unknown_helper'
  | 'unbalanced_block'
  | 'crossing_block'
  | 'misplaced_else'
  | 'tag_in_field_code'
  | 'too_many_tags'
  | 'too_many_problems'
  // the data
  | 'missing_field'
  | 'not_a_list'
  | 'bad_value'
  | 'bad_image'
  | 'image_not_given'
  | 'value_too_long'
  | 'bad_locale'
  | 'too_many_iterations'
  | 'output_too_large';

/** Where in the template. Paragraphs are counted from 1 within their part, as they come in the file. */
export interface Place {
  readonly part: string;
  readonly paragraph: number;
  readonly snippet: string;
}

/** One thing that the data does wrong. */
export interface DataProblem extends Partial<Place> {
  readonly code: TemplateErrorCode;
  readonly message: string;
  /** The field that it is about, as lint names it; in a loop from its items on. */
  readonly field?: string | undefined;
}

export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly code: TemplateErrorCode;
  readonly part: string | undefined;
  readonly paragraph: number | undefined;
  readonly snippet: string | undefined;
  readonly field: string | undefined;
  /** All that is wrong with the data, where a merge found more than one thing; else this error alone. */
  readonly problems: readonly DataProblem[];
  constructor(
    code: TemplateErrorCode,
    message: string,
    about: Omit<Partial<DataProblem>, 'code' | 'message'> & {
      readonly problems?: readonly DataProblem[] | undefined;
    } = {},
  ) {
    super(message);
    const { problems, part, paragraph, snippet, field } = about;
    this.code = code;
    this.part = part;
    this.paragraph = paragraph;
    this.snippet = snippet;
    this.field = field;
    this.problems = problems ?? [problemOf(this)];
  }
}

/** Without what is not known, so that it can be sent and compared. */
function problemOf({ code, message, part, paragraph, snippet, field }: TemplateError): DataProblem {
  return {
    code,
    message,
    ...(field !== undefined && { field }),
    ...(part !== undefined && { part }),
    ...(paragraph !== undefined && { paragraph }),
    ...(snippet !== undefined && { snippet }),
  };
}

export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly part?: string | undefined;
  readonly paragraph?: number | undefined;
  readonly snippet?: string | undefined;
}

/** Compiling throws the first problem, linting collects them all: the steps between only report. */
export type Report = (code: TemplateErrorCode, message: string, place?: Partial<Place>) => void;

export const throwing: Report = (code, message, place) => {
  throw new TemplateError(code, message, place);
};

export function asProblem(error: TemplateError): Problem {
  const { code, message, part, paragraph, snippet } = error;
  return { severity: 'error', code, message, part, paragraph, snippet };
}
