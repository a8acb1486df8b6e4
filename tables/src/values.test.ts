import { expect, test } from 'vitest';
import { momentOf } from './dates.ts';
import type { Value } from './columns.ts';
import { booleanOf, isExactInDouble, isExactInExcel, numberText, unscaled } from './values.ts';

test.each<[Value, string | null]>([
  ['12', '12'],
  ['-0.50', '-0.50'],
  ['1e+20', '1e+20'],
  [12.5, '12.5'],
  [2n ** 70n, '1180591620717411303424'],
  ['007', null],
  ['+5', null],
  ['.5', null],
  [' 5', null],
  ['1,000', null],
  ['0x10', null],
  ['5\n', null],
  [Number.NaN, null],
  [Infinity, null],
  [true, null],
])('%s as a number is %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});

test.each<[Value, boolean | null]>([
  ['True', true],
  ['FALSE', false],
  ['t', true],
  ['f', false],
  ['1', true],
  [0, false],
  ['yes', null],
  [2, null],
])('%s as a boolean is %s', (value, boolean) => {
  expect(booleanOf(value)).toBe(boolean);
});

test.each([
  ['9007199254740991', true, false],
  ['9007199254740993', false, false],
  ['123456789012345', true, true],
  ['1234567890123456', true, false],
  ['0.1', true, true],
  ['12.500000000000000000', true, true],
  ['1234567.8901234567', false, false],
  ['0.000000000000000001', true, true],
  ['1e300', true, true],
  ['1e400', false, false],
  ['1e-400', false, false],
  ['0.00000000000000000000', true, true],
])('%s is exact in a double: %s, and in Excel: %s', (text, double, excel) => {
  expect(isExactInDouble(text)).toBe(double);
  expect(isExactInExcel(text)).toBe(excel);
});

test.each([
  ['12.5', 2, 1250n],
  ['-12.5', 2, -1250n],
  ['12.50', 1, 125n],
  ['12.55', 1, null],
  ['-0.000', 0, 0n],
  ['1e3', 0, 1000n],
  ['1.5e-2', 3, 15n],
  ['1.5e-2', 2, null],
  ['1e-30', 18, null],
  ['5.0', 0, 5n],
  ['-7', 0, -7n],
])('%s with the scale %s is %s', (text, scale, digits) => {
  expect(unscaled(text, scale)).toBe(digits);
});

test.each<[Value, string | null, number?]>([
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31 06:05', '2026-01-31T06:05:00.000Z'],
  ['2026-01-31T06:05:04.123456', '2026-01-31T06:05:04.123Z', 456],
  ['2026-01-31T06:05:04.1234567', null],
  ['2026-01-31T06:05:04.1230000', '2026-01-31T06:05:04.123Z'],
  ['2026-01-31 06:00:00+02', '2026-01-31T04:00:00.000Z'],
  ['2026-01-31T06:00:00-05:30', '2026-01-31T11:30:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999Z', 999],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [new Date(Number.NaN), null],
  ['2026-02-30', null],
  ['2026-13-01', null],
  ['2026-01-31T24:00:00', null],
  ['1/31/2026 6:00:00 AM', null],
  ['infinity', null],
  [1_700_000_000_000, null],
])('%s as a date is %s', (value, iso, micros = 0) => {
  const moment = momentOf(value);
  expect(moment && new Date(moment.ms).toISOString()).toBe(iso);
  expect(moment?.micros ?? 0).toBe(micros);
});
