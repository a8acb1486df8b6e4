import { expect, test } from 'vitest';
import { copied, HOSTILE_TEXTS } from '../../test/copy.ts';
import { copyRecord, recordEnd, rowsOfCopy } from './rows.ts';

test.each<[string, (string | null)[][]]>([
  ['', []],
  ['\n', [[null]]],
  ['""\n', [['']]],
  ['a,b\n', [['a', 'b']]],
  [',\n', [[null, null]]],
  ['"",\n', [['', null]]],
  ['"a,""b"""," c "\n1,2\n', [['a,"b"', ' c '], ['1', '2']]], // prettier-ignore
  ['"two\nlines",x\n,"y\r\n"\n', [['two\nlines', 'x'], [null, 'y\r\n']]], // prettier-ignore
  ['"\\."\n', [['\\.']]],
])('%j', (text, rows) => {
  expect(rowsOfCopy(Buffer.from(text))).toEqual(rows);
});

test('every text comes back', () => {
  const rows = HOSTILE_TEXTS.map((text, i) => [text, null, HOSTILE_TEXTS.at(-i) ?? null]);
  expect(rowsOfCopy(copied(rows).bytes)).toEqual(rows);
});

test('records are found one after the other', () => {
  const rows = HOSTILE_TEXTS.map((text) => [text, null, `"${text}`]);
  const { bytes } = copied(rows);
  const found: unknown[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = recordEnd(bytes, at);
    found.push(...rowsOfCopy(bytes.subarray(at, end)));
    at = end;
  }
  expect(found).toEqual(rows);
  expect(() => recordEnd(Buffer.from('"a\n'))).toThrow('not whole records');
});

test.each(['a', '"a\n', '"a"b\n', 'a,"b""\n'])('%j is no batch', (text) => {
  expect(() => rowsOfCopy(Buffer.from(text))).toThrow('not whole records');
});

test('a record that was written is read as it was', () => {
  const rows = [
    ['a', null, '', 'say "x", y'],
    ['two\nlines', '\\.', ' ', null],
  ];
  expect(rowsOfCopy(Buffer.from(rows.map(copyRecord).join('')))).toEqual(rows);
});
