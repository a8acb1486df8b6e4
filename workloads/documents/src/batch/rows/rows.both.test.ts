import { describe, expect } from 'vitest';
import { need } from '../../../../../scripts/need.mjs';
import { gathered } from '../load.ts';
import { readCsvRows } from './csv-thread.ts';
import { ROW_LIMITS, type Row } from './row.ts';
import { type RowFacts, type RowFormat, openRows } from './rows.ts';
import { inFast, inLong } from '../../../../../scripts/suite.ts';

await need('build'); // a CSV is read in a thread

interface Wishes {
  readonly chunk?: number;
  readonly locale?: string;
  readonly sheet?: string;
}

async function readAll(
  format: RowFormat,
  text: string | Uint8Array,
  { chunk = 1_000_000, locale, sheet }: Wishes = {},
): Promise<{ rows: Row[]; facts: RowFacts }> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  async function* stream() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const opened = await openRows({ format, bytes: stream(), sheet }, locale);
  const rows: Row[] = [];
  for await (const row of opened.rows) rows.push(row);
  return { rows, facts: opened.facts() };
}

async function read(format: RowFormat, text: string | Uint8Array, chunk?: number): Promise<Row[]> {
  return (await readAll(format, text, chunk === undefined ? {} : { chunk })).rows;
}

inFast.each([1, 2, 7, 1_000])('JSON Lines in pieces of %i bytes', async (chunk) => {
  const text = '{"a":"ä"}\r\n\n[1]\n{"a":\n{"b":2}';
  expect(await read('jsonl', text, chunk)).toEqual([
    { line: 1, data: { a: 'ä' } },
    { line: 3, error: 'The row is no object, such as {"Name": "Ann"}.' },
    { line: 4, error: expect.stringContaining('not JSON') },
    { line: 5, data: { b: 2 } },
  ]);
});

inFast('a line too long to keep is an error of its own', async () => {
  const text = `{"a":1}\n"${'x'.repeat(ROW_LIMITS.rowBytes + 1)}"\n{"a":2}\n`;
  expect(await read('jsonl', text, 65_536)).toEqual([
    { line: 1, data: { a: 1 } },
    { line: 2, error: expect.stringContaining('more than') },
    { line: 3, data: { a: 2 } },
  ]);
});

inLong('a row may have 10 MB in every format that is read row by row', async () => {
  const text = 'x'.repeat(9_000_000);
  expect(await read('jsonl', `{"a":"${text}"}\n`, 65_536)).toEqual([
    { line: 1, data: { a: text } },
  ]);
  expect(await read('csv', `a\n${text}\n`, 65_536)).toEqual([{ line: 2, data: { a: text } }]);
  // Bytes, not characters: these are 12 MB.
  const half = 'ä'.repeat(3_000_000);
  const error = 'The row has more than 10 MB.';
  expect(await read('jsonl', `{"a":"${half}${half}"}\n`, 65_536)).toEqual([{ line: 1, error }]);
  expect(await read('csv', `a,b\n${half},${half}\n1,2\n`, 65_536)).toMatchObject([
    { line: 2, error },
    { line: 3, data: { a: '1', b: '2' } },
  ]);
  await expect(read('csv', `a\n${text}${text}\n`)).rejects.toMatchObject({
    code: 'invalid_rows',
    message: expect.stringContaining('more than 10 MB'),
  });
});

inFast('rows are gathered by their bytes, also those that cannot be read', async () => {
  const cell = 'x'.repeat(900_000);
  const { rows } = await openRows({
    format: 'csv',
    bytes: Buffer.from(`a\n${`${cell},${cell}\n`.repeat(5)}`),
  });
  const sizes: number[] = [];
  for await (const together of gathered(rows)) {
    expect(together.every((row) => 'error' in row)).toBe(true);
    sizes.push(together.length);
  }
  expect(sizes).toEqual([1, 1, 1, 1, 1]);
});

inLong(
  'rows that are short cost as many fields as there are columns, and those are limited',
  async () => {
    const header = Array.from({ length: ROW_LIMITS.columns }, (_, n) => `c${n}`).join(',');
    const { rows } = await openRows({
      format: 'csv',
      bytes: Buffer.from(`${header}\n${'x\n'.repeat(100_000)}`),
    });
    let count = 0;
    const reading = async () => {
      for await (const _ of rows) count += 1;
    };
    await expect(reading()).rejects.toMatchObject({
      code: 'too_many_rows',
      message: expect.stringContaining('20 million cells'),
    });
    expect(count).toBe(Math.floor(ROW_LIMITS.cells / ROW_LIMITS.columns));
  },
);

/** Each row is stored with the names of its columns: 1 MB of header and 100,000 rows of one letter were 100 GB. */
inFast('names of columns that are long are limited by the rows that have them', async () => {
  const header = 'N'.repeat(900_000);
  const { rows } = await openRows({
    format: 'csv',
    bytes: Buffer.from(`${header}\n${'x\n'.repeat(1_000)}`),
  });
  let count = 0;
  const reading = async () => {
    for await (const _ of rows) count += 1;
  };
  await expect(reading()).rejects.toMatchObject({
    code: 'too_many_rows',
    message: expect.stringContaining('The names of the columns'),
  });
  expect(count).toBe(Math.floor(ROW_LIMITS.namedBytes / (header.length + 1)));
});

/**
 * Lines on which patterns that look for more than one thing at a time took minutes: 130 KB of the first took 52 s, and the whole service
 * along.
 */
describe('the worst lines are read in a thread, in time that grows with their length', () => {
  const SIZE = 400_000;
  inFast.each<[string, string]>([
    ['one line', 'a'.repeat(SIZE)],
    ['one line of words', 'a b '.repeat(SIZE / 4)],
    ['a line after a header', `a\n${'a'.repeat(SIZE)}`],
    ['delimiters', ','.repeat(SIZE)],
    ['delimiters after a header', `a\n${','.repeat(SIZE)}\n1`],
    ['spaces', ' '.repeat(SIZE)],
    ['breaks', '\n'.repeat(SIZE / 20)],
    ['breaks of old files', '\r'.repeat(SIZE / 20)],
    ['100,000 columns', Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(',')],
    ['quotes', '"'.repeat(SIZE)],
    ['quotes and delimiters', '",'.repeat(SIZE / 2)],
    ['a formula that never ends', `a\n="${'x'.repeat(SIZE)}`],
    ['a formula of quotes', `a\n="${'x""'.repeat(SIZE / 3)}"`],
    ['the error of a formula', `a\n#${'A'.repeat(SIZE)}`],
    ['a name of dots', `${'a.'.repeat(SIZE / 10)}\n1`],
    ['marks of a delimiter', 'sep='.repeat(SIZE / 4)],
  ])('%s', async (_, text) => {
    const rows = await read('csv', text, 65_536).catch((error: unknown) => error);
    if (!(rows instanceof Error)) return expect(rows).toBeInstanceOf(Array);
    expect(rows).toMatchObject({ code: 'invalid_rows' });
    // Not because the thread was ended after its 30 s.
    expect(rows.message).not.toContain('memory or time');
  });

  inFast.each<[string, string]>([
    ['one line', 'a'.repeat(SIZE)],
    ['brackets', '['.repeat(SIZE)],
    ['spaces', ' '.repeat(SIZE)],
    ['breaks', '\n'.repeat(SIZE / 20)],
    ['quotes', '"'.repeat(SIZE)],
    ['backslashes', `"${'\\'.repeat(SIZE)}`],
  ])('%s as JSON Lines', async (_, text) => {
    expect(await read('jsonl', text, 65_536)).toBeInstanceOf(Array);
  });

  inFast('the thread of a CSV ends where it takes more memory or time than it may', async () => {
    const refused = async (text: string, limits: object) => {
      for await (const _ of readCsvRows([Buffer.from(text)], limits));
    };
    const text = `a\n${','.repeat(5_000_000)}`;
    await expect(refused(text, { memoryMb: 8 })).rejects.toThrow('too much memory or time');
    await expect(refused(text, { patienceMs: 1 })).rejects.toThrow('too much memory or time');
  });

  inFast('an upload that breaks off is no fault of the file', async () => {
    async function* broken() {
      yield Buffer.from('a\n1\n');
      throw new Error('the line is dead');
    }
    const reading = async () => {
      for await (const _ of readCsvRows(broken()));
    };
    await expect(reading()).rejects.toThrow('the line is dead');
  });
});

inFast('a JSON array', async () => {
  expect(await read('json', '\ufeff[{"a":1}, 2]', 3)).toEqual([
    { line: 1, data: { a: 1 } },
    { line: 2, error: expect.any(String) },
  ]);
  await expect(read('json', '{"a":1}')).rejects.toMatchObject({ code: 'invalid_rows' });
  await expect(read('json', '[{]')).rejects.toMatchObject({ code: 'invalid_rows' });
});

inFast.each([1, 2, 7, 1_000])('a JSON array in pieces of %i bytes', async (chunk) => {
  const text = ' [ {"a":"],[{\\"\\\\"}\n,{"b":[1,{"c":[]}]} ,"x,y" ] ';
  expect(await read('json', text, chunk)).toEqual([
    { line: 1, data: { a: '],[{"\\' } },
    { line: 2, data: { b: [1, { c: [] }] } },
    { line: 3, error: expect.any(String) },
  ]);
  expect(await read('json', ' [ \n] ', chunk)).toEqual([]);
  for (const broken of ['[{}', '[{},]', '[,{}]', '[{}]{}', '[{"a":1}}', '[{"a', '', '[{} {}]'])
    await expect(read('json', broken, chunk), broken).rejects.toMatchObject({
      code: 'invalid_rows',
    });
});

/** Parsed as a whole, 100 MB of `{},` were 33 million objects: 2 GB. */
inFast('a row of a JSON array is given before the array is over', async () => {
  async function* bytes() {
    // As much as is looked at to see what the file is.
    yield Buffer.from(`[{"a":1},${' '.repeat(2_000)}{"b":`);
    throw new Error('read on');
  }
  const { rows } = await openRows({ format: 'json', bytes: bytes() });
  const seen: Row[] = [];
  const reading = async () => {
    for await (const row of rows) seen.push(row);
  };
  await expect(reading()).rejects.toThrow('read on');
  expect(seen).toEqual([{ line: 1, data: { a: 1 } }]);
});

inFast('a row of more values than a document has is an error of its own', async () => {
  const full = `{"a":[${'{},'.repeat(500_000)}{}]}`;
  const error = 'The row has more than 500 thousand values.';
  const expected = [
    { line: 1, error },
    { line: 2, data: { b: '{},'.repeat(600_000) } },
  ];
  const rows = [full, JSON.stringify({ b: '{},'.repeat(600_000) })];
  expect(await read('json', `[${rows.join(',')}]`)).toEqual(expected);
  expect(await read('jsonl', rows.join('\n'))).toEqual(expected);
});

describe('what is nested too deep', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const list = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const error = 'The row is nested more than 200 levels deep.';

  inFast('is a row with an error, and the others are read', async () => {
    const rows = [nested(50_000), list, nested(201), nested(200), '{"b":1}'];
    const expected = [
      { line: 1, error },
      { line: 2, error },
      { line: 3, error },
      { line: 4, data: expect.any(Object) },
      { line: 5, data: { b: 1 } },
    ];
    expect(await read('json', `[${rows.join(',')}]`)).toEqual(expected);
    expect(await read('jsonl', rows.join('\n'))).toEqual(expected);
  });

  inFast('is no header of a table', async () => {
    await expect(read('csv', `Name,${'a.'.repeat(50_000)}a\nAnn,1\n`)).rejects.toMatchObject({
      code: 'invalid_rows',
      message: expect.stringContaining('more than 200 levels deep'),
    });
  });
});

inFast.each([1, 5, 1_000])('CSV in pieces of %i bytes', async (chunk) => {
  const text =
    '\ufeffName,Account.Name,Account.City,\r\nAnn,"A, ""B""",\r\n\r\nBob,"two\r\nlines",Köln,x\r\nC,d,e,\r\n';
  expect(await read('csv', text, chunk)).toMatchObject([
    { line: 2, error: 'The row has 3 cells, the first row 4.', cells: ['Ann', 'A, "B"', ''] },
    { line: 4, error: '"x" stands in column D, which has no name in the first row.' },
    { line: 6, data: { Name: 'C', Account: { Name: 'd', City: 'e' } } },
  ]);
});

inFast('breaks of old files', async () => {
  expect(await read('csv', 'a\r1\r2\r', 2)).toEqual([
    { line: 2, data: { a: '1' } },
    { line: 3, data: { a: '2' } },
  ]);
});

inFast('a stray quote is kept, and the rows after it are read', async () => {
  const rows = await read('csv', 'a,b\n"x"y,1\n5" pipe,2\nz,3\n');
  expect(rows).toMatchObject([
    { data: { b: '1' } },
    { data: { a: '5" pipe' } },
    { data: { a: 'z', b: '3' } },
  ]);
});

inFast(
  'a quote that is not closed is an error of the file: the rows after it are lost in it',
  async () => {
    await expect(read('csv', 'a,b\n1,2\n"x,3\n4,5\n')).rejects.toMatchObject({
      code: 'invalid_rows',
      message: expect.stringContaining('A quote that is opened in line 3 is not closed'),
    });
    await expect(read('csv', 'a,"b\n1,2\n')).rejects.toMatchObject({ code: 'invalid_rows' });
  },
);

inFast.each([
  ['semicolons', 'a;b\n1,5;2\n', { a: '1,5', b: '2' }],
  ['tabs', 'a\tb\n1\t2\n', { a: '1', b: '2' }],
  ['one column', 'a\n1\n', { a: '1' }],
])('finds out about %s', async (_, text, data) => {
  expect(await read('csv', text)).toEqual([{ line: 2, data }]);
});

inFast('UTF-16, as spreadsheets write it', async () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Name\nÄnn\n', 'utf16le')]);
  expect(await read('csv', bytes, 4)).toEqual([{ line: 2, data: { Name: 'Änn' } }]);
});

inFast.each([
  ['a name twice', 'a,b,a\n'],
  ['a field that is an object, too', 'a,a.b\n'],
  ['the other way round', 'a.b,a\n'],
  ['only the columns of failed rows', 'millrace line,millrace error\n'],
  ['a prototype', '__proto__.x\n'],
])('refuses a first row with %s', async (_, header) => {
  await expect(read('csv', `${header}1,2,3\n`)).rejects.toMatchObject({ code: 'invalid_rows' });
});

inFast(
  'blank rows are skipped and counted; cells that are too many and empty do no harm',
  async () => {
    const text = '\n , \nName,Ok\n\nAnn,TRUE,,\n ,  \n,\nBob,FALSE\n\n\n';
    const { rows, facts } = await readAll('csv', text);
    expect(rows).toEqual([
      { line: 5, data: { Name: 'Ann', Ok: true } },
      { line: 8, data: { Name: 'Bob', Ok: false } },
    ]);
    expect(facts).toMatchObject({ columns: ['Name', 'Ok'], blank: 5, encoding: 'utf-8' });
  },
);

inFast.each([
  ['spaces around a name', ' Name , Account .City \n1,2\n', { Name: '1', Account: { City: '2' } }],
  [
    'dots that are none of ours',
    'Nr.,Tel. home,a..b\n1,2,3\n',
    { 'Nr.': '1', 'Tel. home': '2', 'a..b': '3' },
  ],
  ['a delimiter that a line of its own names', 'sep=;\na;b\n1,5;2\n', { a: '1,5', b: '2' }],
  ['letters in two parts', 'Stra\u0073\u0323e\n1\n', { 'Stra\u1e63e': '1' }],
])('a header with %s', async (_, text, data) => {
  expect((await read('csv', text))[0]).toMatchObject({ data });
});

inFast('what a formula could not compute is an error of its row, as in an XLSX', async () => {
  const shown = ['#N/A', '#REF!', '#DIV/0!', '#NAME?', '#NV', '#BEZUG!', '#ÜBERLAUF!', 'Err:502'];
  const rows = await read('csv', `#,b\n${shown.map((text) => `x,${text}\n`).join('')}#1,#tag\n`);
  expect(rows.slice(0, -1)).toEqual(
    shown.map((text, index) =>
      expect.objectContaining({
        line: index + 2,
        error: `Column B shows the error ${text} of a formula.`,
        cells: ['x', text],
      }),
    ),
  );
  expect(rows.at(-1)).toMatchObject({ data: { '#': '#1', b: '#tag' } });
});

inFast('codes that are written as formulas, to be kept from becoming numbers', async () => {
  const text = 'a,b\n="007","=""0""""8"""\n';
  expect(await read('csv', text)).toEqual([{ line: 2, data: { a: '007', b: '0"8' } }]);
});

inFast('a row with more cells than the header has them for correction', async () => {
  expect(await read('csv', 'a,b\n1,2,3\n')).toEqual([
    {
      line: 2,
      error: 'The row has 3 cells, the first row 2: "3" stands in column C.',
      cells: ['1', '2', '3'],
      placed: { a: '1', b: '2' },
    },
  ]);
});

describe('encodings', () => {
  const text = 'Name;City\nMüller;Köln\n';
  const latin = Buffer.from(text, 'latin1');

  inFast.each([1, 3, 1_000])('a code page is recognised in pieces of %i bytes', async (chunk) => {
    // Far beyond what is looked at first, and with the first letter at the end of a piece.
    const long = Buffer.concat([
      latin.subarray(0, 10),
      Buffer.from('x;y\n'.repeat(600)),
      latin.subarray(10),
    ]);
    const { rows, facts } = await readAll('csv', long, { chunk });
    expect(rows).toHaveLength(601);
    expect(rows.at(-1)).toMatchObject({ data: { Name: 'Müller', City: 'Köln' } });
    expect(facts.encoding).toBe('windows-1252');
  });

  inFast.each([1, 3, 1_000])('UTF-8 beyond the beginning, in pieces of %i bytes', async (chunk) => {
    const { rows, facts } = await readAll('csv', `Name\n${'Köln €𝄞\n'.repeat(300)}`, { chunk });
    expect(rows).toHaveLength(300);
    expect(new Set(rows.map((row) => 'data' in row && row.data['Name']))).toEqual(
      new Set(['Köln €𝄞']),
    );
    expect(facts.encoding).toBe('utf-8');
  });

  inFast('and is that of the locale', async () => {
    const polish = Buffer.from('Name\n\xa3\xf3d\x9f\n', 'latin1');
    const { rows, facts } = await readAll('csv', polish, { locale: 'pl-PL' });
    expect(rows).toMatchObject([{ data: { Name: 'Łódź' } }]);
    expect(facts.encoding).toBe('windows-1250');
  });

  inFast.each(['utf-16le', 'utf-16be'])('%s without its mark', async (encoding) => {
    const bytes = Buffer.from(text, 'utf16le');
    if (encoding === 'utf-16be') bytes.swap16();
    const { rows, facts } = await readAll('csv', bytes, { chunk: 7 });
    expect(rows).toMatchObject([{ data: { Name: 'Müller', City: 'Köln' } }]);
    expect(facts.encoding).toBe(encoding);
  });

  inFast('UTF-8 that is damaged is refused, not read as something else', async () => {
    const damaged = Buffer.concat([Buffer.from('Name\nKölnÄÖ\n'), Buffer.from([0xff, 0x0a])]);
    await expect(read('csv', damaged)).rejects.toMatchObject({ code: 'invalid_rows' });
    await expect(read('csv', damaged, 8)).rejects.toMatchObject({ code: 'invalid_rows' });
  });

  inFast('JSON is UTF-8', async () => {
    for (const format of ['json', 'jsonl'] as const)
      await expect(read(format, latin)).rejects.toMatchObject({ code: 'invalid_rows' });
  });
});

inFast.each([
  ['a PDF', Buffer.from('%PDF-1.7\n%âãÏÓ'), 'PDF'],
  ['a ZIP', Buffer.from('PK\u0003\u0004rest'), '.xlsx'],
  ['an old Excel file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), '.xls'],
  ['HTML', Buffer.from('\ufeff\n<!DOCTYPE html><table><tr><td>a</td></tr></table>'), 'HTML'],
  ['XML', Buffer.from('<?xml version="1.0"?><Workbook/>'), 'XML'],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'picture'],
  ['bytes', Buffer.from('a,b\n1,\u0000\u0001\n'), 'control characters'],
])('%s is no CSV', async (_, bytes, word) => {
  await expect(read('csv', bytes)).rejects.toMatchObject({
    code: 'invalid_rows',
    message: expect.stringContaining(word),
  });
  await expect(read('xlsx', bytes)).rejects.toMatchObject({ code: 'invalid_rows' });
});
