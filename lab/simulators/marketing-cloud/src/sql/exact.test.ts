import { expect, test } from 'vitest';
import { settleField } from '../data/fields.ts';
import { fitted, rounded, truncated } from './insert.ts';

test.each([
  ['1.005', 2, '1.01'],
  ['-1.005', 2, '-1.01'],
  ['12345678901234567.89', 2, '12345678901234567.89'],
  ['.5', 0, '1'],
  ['-.4', 0, '0'],
  ['0.045', 3, '0.045'],
  ['1e-3', 2, '0.00'],
  ['1.25E2', 1, '125.0'],
  ['7', 4, '7.0000'],
])('%s with %i places is %s', (text, places, expected) => {
  expect(rounded(text, places).text).toBe(expected);
});

test('a fraction is cut off exactly', () => {
  expect(truncated('2147483647.99999999999999999')).toBe(2_147_483_647n);
  expect(truncated('-1.9')).toBe(-1n);
  expect(truncated('1.5e1')).toBe(15n);
});

test('decimals go into the target as they are, and their places do not count twice', () => {
  const field = (maxLength: number, scale: number) => [
    settleField({ name: 'd', type: 'Decimal', maxLength, scale }, 0),
  ];
  const into = (value: string, maxLength: number, scale: number) =>
    fitted({ columns: ['d'], rows: [{ d: value }] }, field(maxLength, scale))[0]?.['d'];
  expect(into('12345678901234567.89', 19, 2)).toBe('12345678901234567.89');
  expect(into('0.50', 2, 2)).toBe('0.50');
  expect(() => into('123.4', 3, 1)).toThrow('Arithmetic overflow');
  expect(() => into('1e999999999', 18, 2)).toThrow('Conversion failed');
});
