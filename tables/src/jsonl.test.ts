import { expect, test } from 'vitest';
import { COLUMNS, fileOf } from '../test/build.ts';
import type { Row } from './columns.ts';

function lines(...rows: Row[]): unknown[] {
  const { text } = fileOf({ format: 'jsonl', columns: COLUMNS }, rows);
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => Object.values(JSON.parse(line) as object));
}

test('an object in each line, named by the columns', () => {
  const row = ['1', 'Ada', '12.50', 'True', '2026-01-31'];
  const { text } = fileOf({ format: 'jsonl', columns: COLUMNS }, [row]);
  expect(text).toBe('{"Id":1,"Name":"Ada","Amount":"12.50","Active":true,"When":"2026-01-31"}\n');
});

test('numbers are numbers where a double has all their digits; decimals are strings', () => {
  expect(lines(['9007199254740991', null, 0.1, null, null])).toEqual([
    [9007199254740991, null, '0.1', null, null],
  ]);
  expect(lines([9007199254740993n, null, 5, null, null])).toEqual([
    ['9007199254740993', null, '5', null, null],
  ]);
});

test('null is null, also as empty text where the column is no text', () => {
  expect(lines([null, undefined, null, null, null], ['', '', '', '', ''])).toEqual([
    [null, null, null, null, null],
    [null, '', null, null, null],
  ]);
});

test('every text comes back, line breaks, NUL and half surrogate pairs included', () => {
  const odd = 'a\r\n\0\u2028"\\\uD800 😀';
  expect(lines([1, odd, null, null, null])).toEqual([[1, odd, null, null, null]]);
});

test('what a column cannot mean is a string, and counted', () => {
  const row = ['007', 'x', Infinity, 'maybe', '31/01/2026'];
  expect(lines(row)).toEqual([['007', 'x', 'Infinity', 'maybe', '31/01/2026']]);
  expect(fileOf({ format: 'jsonl', columns: COLUMNS }, [row]).state.notes.asText).toBe(4);
});

test('a column may have any name', () => {
  const columns = [{ name: '__proto__"\n', type: 'number' }] as const;
  expect(fileOf({ format: 'jsonl', columns }, [[1]]).text).toBe('{"__proto__\\"\\n":1}\n');
});
