import {
  type EngineErrorCode,
  type FailureRecord,
  type JobFailure,
  MillraceError,
} from '../errors.ts';

const CODE_LIMIT = 100;
const MESSAGE_LIMIT = 4_000;
/**
 * How many parts of an AggregateError are kept: its own message often says nothing (three addresses that refused,
 * say).
 */
const PARTS_KEPT = 3;
const STACK_LIMIT = 16_000;
/** A cause may be its own cause. */
const CAUSES = 5;

/** Refusals that go away by themselves, so a retry can help. Every other one would be the same the next time. */
const PASSING: readonly EngineErrorCode[] = ['store_unavailable', 'quota_exceeded'];

/** Anything thrown becomes a record that every store can keep. Unknown errors are worth another try. */
export function classify(thrown: unknown): FailureRecord {
  if (thrown instanceof MillraceError) {
    return record(thrown.code, thrown.message, PASSING.includes(thrown.code));
  }
  if (isJobFailureLike(thrown)) {
    return record(thrown.code, thrown.message, thrown.retryable);
  }
  if (thrown instanceof Error) {
    return record(
      'unknown',
      `${text(thrown.name)}: ${text(thrown.message)}${partsOf(thrown)}`,
      true,
    );
  }
  return record('unknown', `A handler threw ${describe(thrown)} instead of an Error.`, true);
}

/** For people: the name and the message of what was thrown. `unknown` is the code of what had none, and says nothing. */
export function failureInWords({ code, message }: Pick<FailureRecord, 'code' | 'message'>): string {
  return code === 'unknown' ? message : `${code}: ${message}`;
}

/** The errors that one of several tries stands for, as of Promise.any or of a connection to several addresses. */
function aggregated(thrown: Error): readonly unknown[] {
  return thrown instanceof AggregateError ? thrown.errors : [];
}

function firstParts(thrown: Error): readonly unknown[] {
  return aggregated(thrown).slice(0, PARTS_KEPT);
}

function partsOf(thrown: Error): string {
  const parts = firstParts(thrown).map((part) => {
    if (!(part instanceof Error)) return describe(part);
    return 'code' in part
      ? `${text(part.code)}: ${text(part.message)}`
      : `${text(part.name)}: ${text(part.message)}`;
  });
  const more = aggregated(thrown).length - parts.length;
  return parts.length === 0 ? '' : ` [${parts.join('; ')}${more > 0 ? `; and ${more} more` : ''}]`;
}

/** A job file may carry its own copy of this module: recognise its failures by shape. */
function isJobFailureLike(thrown: unknown): thrown is JobFailure {
  return (
    thrown instanceof Error &&
    thrown.name === 'JobFailure' &&
    'code' in thrown &&
    'retryable' in thrown
  );
}

/** When the handler itself knows how long to wait. */
export function retryAfterMs(thrown: unknown): number | undefined {
  return isJobFailureLike(thrown) ? thrown.retryAfterMs : undefined;
}

/**
 * The stack of an error, with those of its causes and parts, each cut down to the lines in people's own code. Null
 * for a value without a stack.
 */
export function stackOf(thrown: unknown): string | null {
  const stacks: string[] = [];
  let at: unknown = thrown;
  for (let causes = 0; at instanceof Error && causes <= CAUSES; causes++) {
    stacks.push((causes === 0 ? '' : 'Caused by: ') + ownStack(at), ...stacksOfParts(at));
    at = at.cause;
  }
  if (stacks.length === 0) return null;
  // A thrown value that is no Error has no stack, but as a cause (`'ECONNRESET'`) it says it all.
  if (at !== undefined && !(at instanceof Error)) stacks.push(`Caused by: ${describe(at)}`);
  return storableText(stacks.join('\n'), STACK_LIMIT);
}

function stacksOfParts(thrown: Error): string[] {
  const all = aggregated(thrown).length;
  return firstParts(thrown).map(
    (part, index) =>
      `Caused by (${index + 1} of ${all}): ${part instanceof Error ? ownStack(part) : describe(part)}`,
  );
}

const FRAME = /^\s+at /;
/** The folder of the packages: of the repository, or node_modules/@millrace. */
const PACKAGES = decodeURIComponent(new URL('../../..', import.meta.url).pathname);
/** Paths of this package and the stores, but not of their tests, which play the part of people. */
const MACHINERY = /^(engine|stores?[^/]*(\/[^/]+)?)\/(src|dist)\/(?!.*\.test\.)/;

/**
 * A refused `enqueue` was thrown deep in the engine and a failed `fetch` deep in Node: the line that someone can change
 * comes far below, so the others are left out. Where there is no such line, as for a socket that closed, all stay.
 */
function ownStack(thrown: Error): string {
  const lines = text(thrown.stack ?? `${text(thrown.name)}: ${text(thrown.message)}`).split('\n');
  const own = lines.filter((line) => !FRAME.test(line) || !isMachinery(line));
  return (own.some((line) => FRAME.test(line)) ? own : lines).join('\n');
}

function isMachinery(frame: string): boolean {
  if (frame.includes('(node:') || frame.includes(' node:') || frame.includes('<anonymous>'))
    return true;
  const at = frame.indexOf(PACKAGES);
  return at !== -1 && MACHINERY.test(frame.slice(at + PACKAGES.length));
}

/** Unknown types: a job file in JavaScript may give a number as the code. */
function record(code: unknown, message: unknown, retryable: boolean): FailureRecord {
  return {
    code: storableText(code, CODE_LIMIT),
    message: storableText(message, MESSAGE_LIMIT),
    retryable,
  };
}

/** NUL and lone surrogates cannot be stored by Postgres; a message loses them rather than the job its record. */
export function storableText(from: unknown, limit: number): string {
  return text(from).replaceAll('\u0000', '').slice(0, limit).toWellFormed();
}

function text(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value without words';
  }
}

function describe(thrown: unknown): string {
  try {
    return typeof thrown === 'string'
      ? `the string ${JSON.stringify(thrown)}`
      : `a value of type ${typeof thrown}`;
  } catch {
    return 'a value';
  }
}
