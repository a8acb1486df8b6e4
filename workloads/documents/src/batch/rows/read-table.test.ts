import { expect, test } from 'vitest';
import { readTable } from './read-table.ts';
import { openRows } from './rows.ts';

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

test('JSON is no spreadsheet', async () => {
  const json = { format: 'json' as const, bytes: Buffer.from('[{}]') };
  await expect(readTable(json, undefined)).rejects.toMatchObject({ code: 'invalid_rows' });
});

async function read(text: string, reading: object) {
  const opened = await openRows({ ...csv(text), ...reading });
  const rows = [];
  for await (const row of opened.rows) rows.push(row);
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
