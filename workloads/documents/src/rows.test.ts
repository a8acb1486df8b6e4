import { expect, test } from 'vitest';
import { ROW_LIMITS, type Row } from './row.ts';
import { type RowFormat, readRows } from './rows.ts';

async function read(
  format: RowFormat,
  text: string | Uint8Array,
  chunk = 1_000_000,
): Promise<Row[]> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  async function* stream() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const rows: Row[] = [];
  for await (const row of readRows({ format, bytes: stream() })) rows.push(row);
  return rows;
}

test.each([1, 2, 7, 1_000])('JSON Lines in pieces of %i bytes', async (chunk) => {
  const text = '{"a":"ä"}\r\n\n[1]\n{"a":\n{"b":2}';
  expect(await read('jsonl', text, chunk)).toEqual([
    { line: 1, data: { a: 'ä' } },
    { line: 3, error: 'The row is no object, such as {"Name": "Ann"}.' },
    { line: 4, error: expect.stringContaining('not JSON') },
    { line: 5, data: { b: 2 } },
  ]);
});

test('a line too long to keep is an error of its own', async () => {
  const text = `{"a":1}\n"${'x'.repeat(ROW_LIMITS.rowBytes + 1)}"\n{"a":2}\n`;
  expect(await read('jsonl', text, 65_536)).toEqual([
    { line: 1, data: { a: 1 } },
    { line: 2, error: expect.stringContaining('more than') },
    { line: 3, data: { a: 2 } },
  ]);
});

test('a JSON array', async () => {
  expect(await read('json', '\ufeff[{"a":1}, 2]', 3)).toEqual([
    { line: 1, data: { a: 1 } },
    { line: 2, error: expect.any(String) },
  ]);
  await expect(read('json', '{"a":1}')).rejects.toMatchObject({ code: 'invalid_rows' });
  await expect(read('json', '[{]')).rejects.toMatchObject({ code: 'invalid_rows' });
});

test.each([1, 5, 1_000])('CSV in pieces of %i bytes', async (chunk) => {
  const text =
    '\ufeffName,Account.Name,Account.City,\r\nAnn,"A, ""B""",\r\n\r\nBob,"two\r\nlines",Köln,x\r\nC,d,e,\r\n';
  expect(await read('csv', text, chunk)).toEqual([
    { line: 2, error: 'The row has 3 cells, the first row 4.' },
    { line: 4, data: { Name: 'Bob', Account: { Name: 'two\nlines', City: 'Köln' } } },
    { line: 6, data: { Name: 'C', Account: { Name: 'd', City: 'e' } } },
  ]);
});

test('breaks of old files', async () => {
  expect(await read('csv', 'a\r1\r2\r', 2)).toEqual([
    { line: 2, data: { a: '1' } },
    { line: 3, data: { a: '2' } },
  ]);
});

test('a stray quote is kept, and the rows after it are read', async () => {
  const rows = await read('csv', 'a,b\n"x"y,1\n5" pipe,2\nz,3\n');
  expect(rows).toMatchObject([
    { data: { b: '1' } },
    { data: { a: '5" pipe' } },
    { data: { a: 'z', b: '3' } },
  ]);
});

test('a quote that is not closed is told of, with the rows before it', async () => {
  expect(await read('csv', 'a,b\n1,2\n"x,3\n4,5\n')).toEqual([
    { line: 2, data: { a: '1', b: '2' } },
    { line: 3, error: expect.stringContaining('not closed') },
  ]);
  await expect(read('csv', 'a,"b\n1,2\n')).rejects.toMatchObject({ code: 'invalid_rows' });
});

test.each([
  ['semicolons', 'a;b\n1,5;2\n', { a: '1,5', b: '2' }],
  ['tabs', 'a\tb\n1\t2\n', { a: '1', b: '2' }],
  ['one column', 'a\n1\n', { a: '1' }],
])('finds out about %s', async (_, text, data) => {
  expect(await read('csv', text)).toEqual([{ line: 2, data }]);
});

test('UTF-16, as spreadsheets write it', async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Name\nÄnn\n', 'utf16le')]);
  expect(await read('csv', bytes, 4)).toEqual([{ line: 2, data: { Name: 'Änn' } }]);
});

test.each([
  ['a name twice', 'a,b,a\n'],
  ['a field that is an object, too', 'a,a.b\n'],
  ['the other way round', 'a.b,a\n'],
  ['no names', ',,\n'],
  ['a prototype', '__proto__.x\n'],
  ['an empty part', 'a..b\n'],
])('refuses a first row with %s', async (_, header) => {
  await expect(read('csv', `${header}1,2,3\n`)).rejects.toMatchObject({ code: 'invalid_rows' });
});

test('refuses what is not UTF-8', async () => {
  const latin = Buffer.from('Name\nM\xfcller\n', 'latin1');
  for (const format of ['csv', 'jsonl'] as const)
    await expect(read(format, latin)).rejects.toMatchObject({ code: 'invalid_rows' });
});
