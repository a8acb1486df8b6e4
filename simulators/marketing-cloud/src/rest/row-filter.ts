import type { Row } from '../data/account.ts';
import { type Field, fieldNamed } from '../data/fields.ts';

/** `$filter` is not what it can be. */
export class InvalidFilter extends Error {
  override readonly name = 'InvalidFilter';
}

const COMPARISON =
  /^\s*([A-Za-z0-9_.-]+)\s+(eq|neq|gt|gte|lt|lte|like)\s+(?:'((?:[^']|'')*)'|(\S+))\s*$/i;

/** Comparisons, joined by `and`: `country eq 'DE' and orders gt 3`. */
export function compileRowFilter(text: string, fields: readonly Field[]): (row: Row) => boolean {
  const parts = text.split(/\s+and\s+(?=(?:[^']*'[^']*')*[^']*$)/i).map((part) => {
    const [, name = '', operator = '', quoted, bare] = COMPARISON.exec(part) ?? [];
    const field = fieldNamed(fields, name);
    if (field === undefined) throw new InvalidFilter(`$filter cannot be read: ${part.trim()}`);
    const wanted = quoted?.replaceAll("''", "'") ?? bare ?? '';
    return comparison(field, operator.toLowerCase(), wanted);
  });
  return (row) => parts.every((part) => part(row));
}

function comparison(field: Field, operator: string, wanted: string): (row: Row) => boolean {
  const isNumber = field.type === 'Number' || field.type === 'Decimal';
  const order = (value: string): number => {
    if (isNumber) return Number(value) - Number(wanted);
    const [a, b] = [value.toLowerCase(), wanted.toLowerCase()];
    return a === b ? 0 : a < b ? -1 : 1;
  };
  const holds: Readonly<Record<string, (value: string) => boolean>> = {
    eq: (value) => order(value) === 0,
    neq: (value) => order(value) !== 0,
    gt: (value) => order(value) > 0,
    gte: (value) => order(value) >= 0,
    lt: (value) => order(value) < 0,
    lte: (value) => order(value) <= 0,
    like: (value) => value.toLowerCase().includes(wanted.replaceAll('%', '').toLowerCase()),
  };
  return (row) => {
    const value = row[field.name] ?? null;
    return value !== null && (holds[operator]?.(value) ?? false);
  };
}
