import type { Place } from '../errors.ts';
import type { FormatOptions } from '../helpers/format.ts';
import type { Operand } from './compare-sheet.ts';
import type { Problems } from './problems.ts';
import type { Scope } from './scope.ts';
import type { Reading } from './unread.ts';

export interface Evaluation extends FormatOptions {
  /** Set for rows of a spreadsheet: text is read as this locale writes it. */
  readonly dataLocale?: string | undefined;
  readonly scope: Scope;
  readonly strict: boolean;
  readonly problems: Problems;
}

/** The arguments of a helper's call. */
export interface Args {
  readonly on: Evaluation;
  readonly place: Place | undefined;
  /** The nth argument; missing fields are errors in strict mode. */
  need(n: number): unknown;
  /** The nth argument as text; in strict mode one that has none is an error. */
  text(n: number): string;
  /** The nth argument; a missing field is just undefined. */
  may(n: number): unknown;
  named(name: string): unknown;
  /** The nth argument as a comparison takes it. */
  operand(n: number): Operand;
  /** The path that the first argument is, for sentences about it. */
  readonly source: string | undefined;
  readonly count: number;
}

export function readingOf({ on, place }: Args): Reading {
  return { dataLocale: on.dataLocale, place };
}

export function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}
