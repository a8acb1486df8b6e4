import { expect, test } from 'vitest';
import { need } from '../../../../../scripts/need.mjs';
import { row, workbook } from '../../../test/workbook.ts';
import { MOST_SHOWN_BYTES } from '../../contract/rows.ts';
import { readTable } from './read-table.ts';
import { openRows } from './rows.ts';

await need('build'); // a table is read in a thread

const csv = (text: string) => ({ format: 'csv' as const, bytes: Buffer.from(text) });

test('a spreadsheet to be looked at: columns with how full they are, rows, and what is wrong with some', async () => {
  const table = await readTable(csv('Name;City\nAnn;Ulm\n;Bonn\n\nEve\n'), undefined);
  expect(table).toMatchObject({
    format: 'csv',
    encoding: 'utf-8',
    columns: [
      { name: 'Name', filled: 2 },
      { name: 'City', filled: 2 },
    ],
    total: 3,
    blank: 1,
  });
  expect(table.rows[0]).toEqual({ line: 2, cells: ['Ann', 'Ulm'], error: null });
  expect(table.rows[2]).toMatchObject({ line: 5, error: expect.stringContaining('1 cells') });
});

test('the answer is limited by its bytes, and all rows are counted', async () => {
  const table = await readTable(csv(`a\n${`${'x'.repeat(900_000)}\n`.repeat(30)}`), undefined);
  expect(table).toMatchObject({ total: 30, columns: [{ name: 'a', filled: 30 }] });
  expect(table.rows).toHaveLength(5);
  expect(JSON.stringify(table).length).toBeLessThan(MOST_SHOWN_BYTES + 1_000);
});

test('600 cells that name one text of 10 MB are 11 kB of a file and 6 GB of rows: refused, and the process lives', async () => {
  const cells = Array.from({ length: 600 }, (_, n) => row(n + 2, '< t="s"><v>0</v></c>')).join('');
  const bytes = workbook({
    sheets: { A: row(1, 'a') + cells },
    strings: [`<t>${'x'.repeat(9_999_000)}</t>`],
  });
  await expect(readTable({ format: 'xlsx', bytes }, undefined)).rejects.toMatchObject({
    code: 'invalid_rows',
    message: expect.stringContaining('more than 200 MB of text'),
  });
});

test('JSON is no spreadsheet', async () => {
  const json = { format: 'json' as const, bytes: Buffer.from('[{}]') };
  await expect(readTable(json, undefined)).rejects.toMatchObject({ code: 'invalid_rows' });
});

async function read(text: string, reading: object) {
  const opened = await openRows({ ...csv(text), ...reading });
  const rows = [];
  for await (const each of opened.rows) rows.push(each);
  return { columns: opened.columns, rows };
}

test('columns are read under other names, and more columns are the same in each row', async () => {
  const { columns, rows } = await read('Full name,City\nAnn,Ulm\nEve,Bonn,more\n', {
    names: { 'Full name': 'Buyer.Name' },
    same: { Phone: '0911' },
  });
  expect(columns).toEqual(['Buyer.Name', 'City', 'Phone']);
  expect(rows[0]).toEqual({
    line: 2,
    data: { Buyer: { Name: 'Ann' }, City: 'Ulm', Phone: '0911' },
  });
  expect(rows[1]).toMatchObject({ line: 3 });
});

test('two columns of one name are refused as they are without other names', async () => {
  await expect(read('a,b\n1,2\n', { names: { a: 'b' } })).rejects.toMatchObject({
    code: 'invalid_rows',
  });
});
