// The least and the greatest value of a column chunk, by which readers skip it: as hyparquet-writer finds them (text in the order of
// its bytes, as Parquet has it), in a form that a saved state can hold.

import type { ParquetWriter, SchemaElement } from 'hyparquet-writer';
import type { Stored } from './schema.ts';

/** Both bounds or none; text in base64, since a state is JSON that a database may keep, where NUL has no place. */
export interface Bounds {
  readonly nulls: number;
  readonly between?: readonly [least: string, greatest: string];
}

type Statistics = NonNullable<
  NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>['statistics']
>;

/** More than the 16 bytes that are written of a bound, so that it is known to be cut. */
const KEPT_CHARACTERS = 20;
/** A text of these has no short one above it. */
const LAST_CHARACTER = '\u{10FFFF}';

export function boundsOf(
  { converted_type: type }: SchemaElement,
  found: (Statistics & { readonly nan_count?: bigint }) | undefined,
  data: readonly (Stored | null)[],
): Bounds {
  const nulls = Number(found?.null_count ?? 0);
  const [least, greatest] =
    type === 'DECIMAL' ? decimalsBetween(data) : [found?.min_value, found?.max_value];
  // Readers do not agree where NaN stands.
  const isUnordered = (found?.nan_count ?? 0n) > 0n;
  if (least === undefined || greatest === undefined || isUnordered) return { nulls };
  const [from, to] = [kept(least), kept(greatest)];
  return from === null || to === null ? { nulls } : { nulls, between: [from, to] };
}

export function statisticsOf(element: SchemaElement, { nulls, between }: Bounds): Statistics {
  return {
    null_count: BigInt(nulls),
    ...(between && {
      min_value: valueOf(element, between[0]),
      max_value: valueOf(element, between[1]),
    }),
  };
}

function kept(value: unknown): string | null {
  if (typeof value !== 'string') return Object.is(value, -0) ? '-0' : String(value);
  const characters = Array.from(value.slice(0, 2 * KEPT_CHARACTERS))
    .slice(0, KEPT_CHARACTERS)
    .join('');
  if (characters.startsWith(LAST_CHARACTER)) return null;
  return Buffer.from(characters).toString('base64');
}

function valueOf({ type, converted_type }: SchemaElement, text: string) {
  if (type === 'BYTE_ARRAY') return Buffer.from(text, 'base64').toString();
  if (type === 'BOOLEAN') return text === 'true';
  if (type === 'INT64' || converted_type === 'DECIMAL') return BigInt(text);
  return Number(text);
}

/** Decimals come as 16 bytes in two's complement, and are in order once the sign is turned. */
function decimalsBetween(data: readonly (Stored | null)[]): [bigint?, bigint?] {
  let [least, greatest]: [Uint8Array?, Uint8Array?] = [];
  for (const value of data) {
    if (!(value instanceof Uint8Array)) continue;
    if (least === undefined || inOrder(value, least) < 0) least = value;
    if (greatest === undefined || inOrder(value, greatest) > 0) greatest = value;
  }
  if (least === undefined || greatest === undefined) return [];
  return [signed(least), signed(greatest)];
}

function inOrder(one: Uint8Array, other: Uint8Array): number {
  const signs = ((one[0] ?? 0) ^ 0x80) - ((other[0] ?? 0) ^ 0x80);
  return signs === 0 ? Buffer.compare(one, other) : signs;
}

function signed(bytes: Uint8Array): bigint {
  return BigInt.asIntN(128, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
}
