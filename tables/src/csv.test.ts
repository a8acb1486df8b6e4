import { expect, test } from 'vitest';
import { COLUMNS, fileOf } from '../test/build.ts';
import type { Column, Row } from './columns.ts';

const text: Column = { name: 'Note', type: 'text' };
const number: Column = { name: 'Count', type: 'number' };

function csv(columns: readonly Column[], rows: readonly Row[], options = {}) {
  return fileOf({ format: 'csv', columns, csv: options }, rows);
}

test('a header, then a line for each row', () => {
  const rows = [['1', 'Ada', '12.50', 'True', '2026-01-31 06:00:00.123456+00']];
  expect(csv(COLUMNS, rows).text).toBe(
    'Id,Name,Amount,Active,When\n1,Ada,12.50,true,2026-01-31 06:00:00.123456+00\n',
  );
});

test('quotes, commas and line breaks are quoted; null and empty text differ', () => {
  const rows = [
    ['a "b"', null],
    ['c,d', 1],
    ['e\r\nf', 2n],
    ['', ''],
  ];
  expect(csv([text, number], rows).text).toBe('Note,Count\n"a ""b""",\n"c,d",1\n"e\r\nf",2\n"",\n');
});

test('the null of a single column is no empty line, which readers would skip', () => {
  expect(csv([text], [['a'], [null], ['b']]).text).toBe('Note\na\n""\nb\n');
});

test('lines end with CR LF and the file begins with a mark where that is asked for', () => {
  const { bytes } = csv([text], [['ä']], { crlf: true, bom: true });
  expect(bytes.toString('latin1')).toBe('\xEF\xBB\xBFNote\r\n\xC3\xA4\r\n');
});

test.each([
  ['=1+1', "'=1+1"],
  ['+cmd', "'+cmd"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['  =1', "'  =1"],
  ['\t=1', "'\t=1"],
  ['\u0000=1', "'\u0000=1"],
  ['\u00a0=1', "'\u00a0=1"],
  ['\uFF1D1', "'\uFF1D1"],
  ['\uFF0B1', "'\uFF0B1"],
  ['\uFF0D1', "'\uFF0D1"],
  ['\uFF20A', "'\uFF20A"],
  ['\u200b=1', "'\u200b=1"],
  ['\u2060 \u200d+cmd', "'\u2060 \u200d+cmd"],
  ['\u3164=1', "'\u3164=1"],
  [';=1+1', '";=1+1"'],
  ['x;=2+5', '"x;=2+5"'],
  ['\r\n=1', '"\'\r\n=1"'],
  ['-12.50', '-12.50'],
  ['+49 (30) 123-45', '+49 (30) 123-45'],
  ['-', '-'],
  ['a=1', 'a=1'],
  ['"=1', '"""=1"'],
])('a spreadsheet runs no formula: %j becomes %j', (value, field) => {
  expect(csv([text], [[value]]).text).toBe(`Note\n${field}\n`);
  const unguarded = csv([text], [[value]], { formulaGuard: false }).text;
  expect(unguarded.replaceAll(/["\n]/g, '')).toBe(`Note${value.replaceAll(/["\n]/g, '')}`);
});

test('the names of columns are guarded, and text that came in a column of numbers', () => {
  const columns: Column[] = [{ name: '=A', type: 'number' }];
  const { text: file, state } = csv(columns, [['=1+1'], ['-1e5'], [-5]]);
  expect(file).toBe("'=A\n'=1+1\n-1e5\n-5\n");
  expect(state.notes.asText).toBe(1);
});

test('a column that nobody types into is not guarded, its name is', () => {
  const columns: Column[] = [
    { name: '=A', type: 'text', isGuarded: false },
    { name: 'B', type: 'double', isGuarded: false },
    { name: 'C', type: 'text' },
  ];
  const { text: file } = csv(columns, [['-1 days', '-Infinity', '-1 days']]);
  expect(file).toBe("'=A,B,C\n-1 days,-Infinity,'-1 days\n");
});

test('what a column cannot mean is written as its text, and counted', () => {
  const row = ['n/a', 5, Number.NaN, 'maybe', new Date(Number.NaN)];
  const { text: file, state } = csv(COLUMNS, [row]);
  expect(file.split('\n')[1]).toBe('n/a,5,NaN,maybe,Invalid Date');
  expect(state.notes).toEqual({ asText: 4, replaced: 0, cut: 0, rounded: 0 });
});

test('half a surrogate pair becomes U+FFFD and is counted; NUL stays', () => {
  const { text: file, state } = csv([text], [['a\uD800b\uDC00'], ['😀\0']]);
  expect(file).toBe('Note\na\uFFFDb\uFFFD\n😀\0\n');
  expect(state.notes.replaced).toBe(2);
});
