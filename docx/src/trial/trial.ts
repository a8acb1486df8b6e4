import { compileFile } from '../compile/compile.ts';
import { type Problem, TemplateError, throwing } from '../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { type LintOptions, lint } from '../lint.ts';
import { decodeXml } from '../xml/encoding.ts';
import { compile } from '../template.ts';
import { readZip, unpack } from '../package/zip.ts';
import { lostText } from './lost-text.ts';
import { PICTURE, madeUpData } from './made-up.ts';

/** How far a file got on the way of a template. */
export interface Trial {
  readonly problems: readonly Problem[];
  readonly failure: TrialFailure | null;
  readonly compiled: boolean;
  /** Text of the template that the merged document lacks; the first few pieces of it. */
  readonly lost: readonly string[];
  /** Merged from made-up data. */
  readonly docx: Uint8Array<ArrayBuffer> | null;
}

export interface TrialFailure {
  readonly step: 'lint' | 'compile' | 'merge';
  /** Null for what nobody meant to throw: a fault of ours, not of the file. */
  readonly code: string | null;
  readonly message: string;
}

const SHOWN = 20;

/** Lints and compiles a file and merges it with data made up from its own fields. Throws nothing. */
export function tryOut(bytes: Uint8Array, options: LintOptions = {}): Trial {
  let step: TrialFailure['step'] = 'lint';
  let problems: readonly Problem[] = [];
  let compiled = false;
  try {
    ({ problems } = lint(bytes, options));
    step = 'compile';
    const template = compile(bytes);
    compiled = true;
    step = 'merge';
    const data = madeUpData(template.fields);
    const picture = Buffer.from(PICTURE, 'base64');
    const images = new Map(template.imagesNeeded(data).map((url) => [url, picture]));
    const docx = new Uint8Array(template.merge(data, { images }));
    return { problems, compiled, failure: null, lost: lostBetween(bytes, docx), docx };
  } catch (thrown) {
    return { ...failedTrial(step, thrown), problems, compiled };
  }
}

export function failedTrial(step: TrialFailure['step'], thrown: unknown): Trial {
  const failure = failureOf(step, thrown);
  return { problems: [], compiled: false, failure, lost: [], docx: null };
}

function lostBetween(template: Uint8Array, docx: Uint8Array): string[] {
  const { parts } = compileFile(template, DEFAULT_LIMITS, throwing);
  const [before, after] = [xmlOf(template), xmlOf(docx)];
  return parts
    .flatMap(({ name }) => lostText(before(name), after(name)))
    .slice(0, SHOWN)
    .map((text) => text.slice(0, 200));
}

function xmlOf(file: Uint8Array): (part: string) => string {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const entries = readZip(bytes, DEFAULT_LIMITS);
  return (part) => {
    const entry = entries.find(({ name }) => name === part);
    return entry ? decodeXml(unpack(entry, DEFAULT_LIMITS.inflatedBytes), part).text : '';
  };
}

function failureOf(step: TrialFailure['step'], thrown: unknown): TrialFailure {
  if (thrown instanceof TemplateError) return { step, code: thrown.code, message: thrown.message };
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { step, code: null, message };
}
