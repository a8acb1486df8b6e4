import type { SchemaElement } from 'hyparquet-writer';
import { momentOf } from '../dates.ts';
import { surrogateHalves } from '../text.ts';
import type { Column, ColumnType, Notes, Value } from '../columns.ts';
import { booleanOf, doubleText, numberText, smallUnscaled, textOf, unscaled } from '../values.ts';

type Given = Exclude<Value, null | undefined>;
export type Stored = string | number | boolean | bigint | Uint8Array;

/** The widest decimal that readers have: 128 bits. */
const PRECISION = 38;
const PRECISION_LIMIT = 10n ** 38n;
const SCALE = 18;
const DAY_MS = 86_400_000;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

export function elementOf({ name, type, scale = SCALE, moment }: Column): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (type) {
    case 'text':
      return {
        ...optional,
        type: 'BYTE_ARRAY',
        converted_type: 'UTF8',
        logical_type: { type: 'STRING' },
      };
    case 'number':
      return { ...optional, type: 'INT64' };
    case 'decimal':
      return {
        ...optional,
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 16,
        converted_type: 'DECIMAL',
        precision: PRECISION,
        scale,
        logical_type: { type: 'DECIMAL', precision: PRECISION, scale },
      };
    case 'double':
      return { ...optional, type: 'DOUBLE' };
    case 'boolean':
      return { ...optional, type: 'BOOLEAN' };
    case 'date':
      if (moment === 'day')
        return {
          ...optional,
          type: 'INT32',
          converted_type: 'DATE',
          logical_type: { type: 'DATE' },
        };
      // Not "adjusted to UTC": Marketing Cloud states no zone, and a reader would shift the hours to its own.
      // A moment of Postgres has one, and is in UTC here.
      return {
        ...optional,
        type: 'INT64',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: moment === 'instant', unit: 'MICROS' },
      };
  }
}

/**
 * The same without its meaning, for the encoder: hyparquet-writer would turn each decimal into bytes one shift at a time
 * (a fifth of the time of a whole file), so decimals come to it as bytes.
 */
export function encodedElement(element: SchemaElement): SchemaElement {
  if (element.converted_type !== 'DECIMAL') return element;
  const { name, type, type_length, repetition_type } = element;
  return {
    name,
    ...(type !== undefined && { type }),
    ...(type_length !== undefined && { type_length }),
    ...(repetition_type !== undefined && { repetition_type }),
  };
}

/** The value as it is stored; null where the column cannot hold it. */
export function storedAs(column: Column, notes: Notes): (value: Given) => Stored | null {
  const { type, scale = SCALE, moment: kind } = column;
  switch (type) {
    case 'text':
      return (value) => {
        const text = textOf(value);
        if (!text.isWellFormed()) notes.replaced += surrogateHalves(text);
        return text;
      };
    case 'number':
      return (value) => within(scaled(value, 0), MIN_INT64, MAX_INT64);
    case 'decimal':
      return (value) => {
        const small = typeof value === 'string' ? smallDecimal(value, scale) : null;
        if (small !== null) return small;
        const digits = within(scaled(value, scale), 1n - PRECISION_LIMIT, PRECISION_LIMIT - 1n);
        return digits === null ? null : bigEndian(digits);
      };
    case 'double':
      return (value) => {
        const double = doubleOf(value);
        if (double !== null && typeof value === 'string' && isRounded(value, double))
          notes.rounded++;
        return double;
      };
    case 'boolean':
      return booleanOf;
    case 'date':
      return (value) => {
        const moment = momentOf(value);
        if (moment !== null && kind === 'day') return Math.floor(moment.ms / DAY_MS);
        return moment === null ? null : BigInt(moment.ms) * 1000n + BigInt(moment.micros);
      };
  }
}

export function holds({ type, scale = SCALE }: Column): string {
  const what: Record<ColumnType, string> = {
    text: 'text',
    number: 'whole numbers of 64 bits',
    decimal: `numbers of ${PRECISION} digits, ${scale} of them after the point`,
    double: 'numbers of 64 bits with a floating point',
    boolean: 'true and false',
    date: 'dates and times in the form of ISO 8601',
  };
  return what[type];
}

/** NaN and the infinities have a place here, as in Postgres. */
function doubleOf(value: Given): number | null {
  if (typeof value === 'number') return value;
  const text = doubleText(value);
  if (text !== null) return Number(text);
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : null;
}

/** Digits behind the point are not looked at: those of an average are rounded anyway. */
const LONG_WHOLE = /^-?\d{16,}(?=\.|$)/;

function isRounded(text: string, double: number): boolean {
  const whole = LONG_WHOLE.exec(text)?.[0];
  return whole !== undefined && BigInt(whole) !== BigInt(Math.trunc(double));
}

function scaled(value: Given, scale: number): bigint | null {
  const text = numberText(value);
  return text === null ? null : unscaled(text, scale);
}

function within(value: bigint | null, min: bigint, max: bigint): bigint | null {
  return value !== null && value >= min && value <= max ? value : null;
}

/** Without a BigInt: most amounts, in a fifth of the time. */
function smallDecimal(text: string, scale: number): Uint8Array | null {
  const digits = numberText(text) === null ? null : smallUnscaled(text, scale);
  if (digits === null) return null;
  const bytes = new Uint8Array(16);
  if (digits < 0) bytes.fill(0xff, 0, 8);
  const view = new DataView(bytes.buffer);
  view.setInt32(8, Math.floor(digits / 2 ** 32));
  view.setUint32(12, digits >>> 0);
  return bytes;
}

/** 16 bytes, two's complement. */
function bigEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, value >> 64n);
  view.setBigUint64(8, BigInt.asUintN(64, value));
  return bytes;
}
