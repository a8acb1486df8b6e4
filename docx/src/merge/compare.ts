import { toNumber } from '../helpers/format.ts';
import { isEmpty } from './args.ts';
import { type Operand, equalInSheet, orderInSheet } from './compare-sheet.ts';
import { textOf } from './scope.ts';
import { type Reading, unread } from './unread.ts';

export function isEqual(left: Operand, right: Operand, on: Reading): boolean {
  const [a, b] = [left.value, right.value];
  if (a === null || a === undefined || b === null || b === undefined)
    return (a ?? null) === (b ?? null);
  const { dataLocale } = on;
  if (dataLocale !== undefined) return equalInSheet(left, right, { ...on, dataLocale });
  const [x, y] = [toNumber(a), toNumber(b)];
  if (typeof a !== typeof b && x !== undefined && y !== undefined) return x === y;
  return typeof a === typeof b ? a === b : textOf(a) === textOf(b);
}

/** NaN when one is missing or empty, which is neither more nor less. Beside a number there has to be one. */
export function order(left: Operand, right: Operand, on: Reading): number {
  const [a, b] = [left.value, right.value];
  if (isEmpty(a) || isEmpty(b)) return NaN;
  const { dataLocale } = on;
  if (dataLocale !== undefined) return orderInSheet(left, right, { ...on, dataLocale });
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x !== undefined && y !== undefined) return x - y;
  const other = typeof a === 'number' ? right : typeof b === 'number' ? left : undefined;
  if (typeof other?.value === 'string') throw unread('number', other, on);
  // Text as text, which orders ISO dates too.
  const [s, t] = [textOf(a), textOf(b)];
  return s < t ? -1 : s > t ? 1 : 0;
}
