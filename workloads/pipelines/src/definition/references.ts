import type { FileOf, RowsOf } from '@millrace/workload-kit';
import type { Value } from './plan.ts';

/**
 * Names of values in a pipeline file: `${month}`, `${customers.rows}`. A text that is nothing but one of them becomes the value,
 * with its type; within other words it becomes text. `$${` is written for a plain `${`. Values go into data alone: members that
 * are texts of a language (`literal` of a step) are left as they are.
 */
const REFERENCE = /\$?\$\{([^}]*)\}/g;
const WHOLE = /^\$\{([^}]*)\}$/;

/** A value that a name stands for; undefined: there is none of this name. */
export type Lookup = (name: string) => Value | readonly Value[] | undefined;

/** What stands beside plain values in an input. */
export interface Things {
  /** What gives the rows or the file of an earlier step. */
  readonly rowsOf: (step: string) => RowsOf;
  readonly fileOf: (name: string) => FileOf;
}

/** The members of an input that name steps, not values. */
export const STEP_MEMBERS = { rows: 'one', attach: 'many' } as const;

export class MissingValue extends Error {
  override readonly name = 'MissingValue';
}

/** The names in a text, in their order. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([all, name = '']) =>
    all.startsWith('$$') ? [] : [name.trim()],
  );
}

/** Replaces names by values in an input, apart from its literal members. */
export function filledIn(
  input: Readonly<Record<string, unknown>>,
  literal: readonly string[],
  lookup: Lookup,
  things: Things,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([member, value]) => [
      member,
      literal.includes(member) ? value : memberOf(member, value, lookup, things),
    ]),
  );
}

function memberOf(member: string, value: unknown, lookup: Lookup, things: Things): unknown {
  if (member === 'rows' && typeof value === 'string') return things.rowsOf(value);
  if (member === 'attach' && Array.isArray(value))
    return value.map((each) => things.rowsOf(String(each)));
  const file = fileNameOf(value);
  return file === null ? filled(value, lookup) : things.fileOf(file);
}

/** `{ file: letter.docx }` names a file beside the pipeline's own. */
export function fileNameOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const [[key, name] = [], ...others] = Object.entries(value);
  return key === 'file' && typeof name === 'string' && others.length === 0 ? name : null;
}

function filled(value: unknown, lookup: Lookup): unknown {
  if (typeof value === 'string') return filledText(value, lookup);
  if (Array.isArray(value)) return value.map((each) => filled(each, lookup));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, filled(each, lookup)]),
  );
}

function filledText(text: string, lookup: Lookup): unknown {
  const [, only] = WHOLE.exec(text) ?? [];
  if (only !== undefined) return valueOf(only.trim(), lookup);
  return text.replaceAll(REFERENCE, (all, name: string) =>
    all.startsWith('$$') ? all.slice(1) : textOf(valueOf(name.trim(), lookup)),
  );
}

function valueOf(name: string, lookup: Lookup): Value | readonly Value[] {
  const value = lookup(name);
  if (value !== undefined) return value;
  throw new MissingValue(`There is nothing called \${${name}}.`);
}

function textOf(value: Value | readonly Value[]): string {
  if (Array.isArray(value)) return value.map(String).join(', ');
  return value === null ? '' : String(value);
}

/** Every text of an input that is not literal, with the path that leads to it. */
export function* textsOf(
  input: Readonly<Record<string, unknown>>,
  literal: readonly string[],
): Generator<{ readonly path: readonly (string | number)[]; readonly text: string }> {
  for (const [member, value] of Object.entries(input))
    if (!literal.includes(member)) yield* textsWithin(value, [member]);
}

function* textsWithin(
  value: unknown,
  path: readonly (string | number)[],
): Generator<{ readonly path: readonly (string | number)[]; readonly text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  else if (Array.isArray(value))
    for (const [index, each] of value.entries()) yield* textsWithin(each, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) yield* textsWithin(each, [...path, key]);
}
