import { expect, test } from 'vitest';
import { type RowReader, type RowTap, withoutRows } from './row-tap.ts';

function message(type: string, said: string): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(Buffer.byteLength(said) + 4, 1);
  return Buffer.concat([head, Buffer.from(said)]);
}

function collecting(): { rows: string[]; reader: RowReader } {
  const rows: string[] = [];
  let row = '';
  const reader: RowReader = {
    part(from, start, end) {
      row += from.toString('latin1', start, end);
    },
    endRow() {
      rows.push(row);
      row = '';
    },
  };
  return { rows, reader };
}

const OTHERS_BEFORE = Buffer.concat([message('1', ''), message('2', ''), message('H', 'csv')]);
const OTHERS_AFTER = Buffer.concat([message('c', ''), message('C', 'COPY 3'), message('Z', 'T')]);
const NOTICE = message('N', 'd is a letter of notices too: d');
const ALL = Buffer.concat([
  OTHERS_BEFORE,
  message('d', '1,one\n'),
  message('d', ''),
  NOTICE,
  message('d', `2,${'x'.repeat(300)}\n`),
  OTHERS_AFTER,
]);

test('rows go to their reader and everything else is passed on, wherever what arrives was cut', () => {
  for (let first = 0; first <= ALL.length; first += 1) {
    for (const second of [first, first + 1, first + 7, ALL.length]) {
      const { rows, reader } = collecting();
      const passed: Buffer[] = [];
      const arrive = withoutRows({ reader }, (bytes) => passed.push(Buffer.from(bytes)));
      for (const piece of [
        ALL.subarray(0, first),
        ALL.subarray(first, second),
        ALL.subarray(second),
      ])
        arrive(piece);
      expect(rows).toEqual(['1,one\n', '', `2,${'x'.repeat(300)}\n`]);
      expect(
        Buffer.concat(passed).equals(Buffer.concat([OTHERS_BEFORE, NOTICE, OTHERS_AFTER])),
        `cut at ${first} and ${second}`,
      ).toBe(true);
    }
  }
});

test('what comes before a row is passed on before the row is given, and what comes behind it after', () => {
  const order: string[] = [];
  const reader: RowReader = { part() {}, endRow: () => order.push('row') };
  withoutRows({ reader }, (bytes) => order.push(String.fromCharCode(bytes[0] ?? 0)))(ALL);
  expect(order).toEqual(['1', 'row', 'row', 'N', 'row', 'c']);
});

test('without a reader, rows are passed on', () => {
  const tap: RowTap = { reader: null };
  const passed: Buffer[] = [];
  withoutRows(tap, (bytes) => passed.push(bytes))(ALL);
  expect(Buffer.concat(passed).equals(ALL)).toBe(true);
});
