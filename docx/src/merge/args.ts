import type { Place } from '../errors.ts';
import type { FormatOptions } from '../helpers/format.ts';
import type { Reading } from './compare.ts';
import type { Scope } from './scope.ts';

export interface Evaluation extends FormatOptions, Reading {
  readonly scope: Scope;
  readonly strict: boolean;
}

/** What a helper is called with. */
export interface Args {
  readonly on: Evaluation;
  readonly place: Place | undefined;
  /** The nth argument; missing fields are errors in strict mode. */
  need(n: number): unknown;
  /** The nth argument; a missing field is just undefined. */
  may(n: number): unknown;
  named(name: string): unknown;
  /** The path that the first argument is, for sentences about it. */
  readonly source: string | undefined;
  readonly count: number;
}

export function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

/** A figure that cannot be read is never printed as it came: its tag says how it is to look. */
export function readIn(
  { on, place, source }: Args,
  at = source,
): Reading & { place: Place | undefined; at: string | undefined } {
  return { dataLocale: on.dataLocale, place, at };
}
