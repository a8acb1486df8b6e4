import { createHash } from 'node:crypto';
import { DocumentError } from '../errors.ts';

/** How deep data may be nested. */
export const DEEPEST = 200;

/**
 * One text for equal data: own keys sorted, dates as ISO texts, -0 as 0, members without a value left out, as
 * JSON has it. What JSON cannot say (a BigInt, a cycle) is refused rather than hashed as something else.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0) ?? 'null';
}

function write(given: unknown, depth: number): string | undefined {
  if (depth > DEEPEST) throw unfit(`is nested more than ${DEEPEST} levels deep, or in a circle`);
  const value = hasToJson(given) ? given.toJSON() : given;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw unfit('holds a number that is not finite');
      return JSON.stringify(value);
    case 'bigint':
      throw unfit('holds a BigInt');
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeList(value, depth) : writeObject(value, depth);
    default:
      return undefined;
  }
}

function writeList(list: readonly unknown[], depth: number): string {
  const items = Array.from(list, (item) => write(item, depth + 1) ?? 'null');
  return `[${items.join(',')}]`;
}

function writeObject(object: object, depth: number): string {
  const members: string[] = [];
  for (const key of Object.keys(object).toSorted(byCodeUnit)) {
    const text = write((object as Record<string, unknown>)[key], depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** Not by locale: two replicas must agree. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hasToJson(value: unknown): value is { toJSON(): unknown } {
  return (
    value !== null &&
    typeof value === 'object' &&
    'toJSON' in value &&
    typeof value.toJSON === 'function'
  );
}

function unfit(why: string): DocumentError {
  return new DocumentError('validation_error', `The data ${why}; only JSON can be merged.`);
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The idempotency key of a request: the same template, format and data within a day are the same document. */
export function requestHashOf(request: {
  readonly templateId: string;
  readonly outputFormat: string;
  readonly data: unknown;
}): string {
  const { templateId, outputFormat, data } = request;
  return sha256(`${templateId}|${outputFormat}|${sha256(canonicalJson(data))}`);
}
