import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusal } from '../../../test/contract-server.ts';
import { VALID, queriesFixture, ready } from '../../../test/queries.ts';
import { documents } from '../../../test/run.ts';

const QUERY = `query 'SELECT 1 AS One'`;

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

describe('millrace query', () => {
  test('says how far it is, then shows the rows and what they cost', async () => {
    const { millrace, queries } = await queriesFixture();
    const ran = await millrace(QUERY);
    expect(ran).toMatchObject({
      code: 0,
      lines: ['Email            Opens', 'ada@example.com     12', 'NULL                 3'],
    });
    expect(ran.stderr.split('\n')).toEqual([
      'run-7 queued',
      'run-7 running (Processing)',
      'run-7 ready (Complete)',
      '2 rows, 12 s, 7.5 calls to Marketing Cloud.',
      '',
    ]);
    expect(queries.bodies).toEqual([
      { sql: 'SELECT 1 AS One' },
      { sql: 'SELECT 1 AS One', askMarketingCloud: false },
    ]);
  });

  test('says what the SQL may not mean before it waits', async () => {
    const problem = { severity: 'warning', code: 'order_without_top', line: 1, column: 1 } as const;
    const problems = [{ ...problem, message: 'The order is lost.' }];
    const { millrace, queries } = await queriesFixture({ report: { ...VALID, problems } });
    const { code, stderr } = await millrace(QUERY);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: The order is lost\.[^]*run-7 running/);
    queries.sights = [ready(2)];
    expect((await millrace(`${QUERY} --json`)).stderr).toBe('');
  });

  test('says why it waits', async () => {
    const trouble = 'Marketing Cloud gave no token. invalid_client';
    const { millrace } = await queriesFixture({
      sights: [{ trouble }, { trouble: null }, ready(2)],
    });
    const { stderr } = await millrace(QUERY);
    expect(stderr).toContain(`run-7 queued (${trouble})\n`);
    const waitsFor = 'The query no longer runs. Marketing Cloud is asked once more.';
    const other = await queriesFixture({
      sights: [{ status: 'running', mceStatus: 'Queued', waitsFor }, ready(2)],
    });
    expect((await other.millrace(QUERY)).stderr).toContain(`run-7 running (${waitsFor})\n`);
  });

  test('reads standard input for -, and hints at quotes', async () => {
    const { millrace, queries } = await queriesFixture();
    expect((await millrace('query -', { stdin: 'SELECT 2 AS Two' })).code).toBe(0);
    expect(queries.bodies[0]).toEqual({ sql: 'SELECT 2 AS Two' });
    expect(await millrace('query SELECT TOP 5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The SQL was given as 3 words: put it in quotes'),
    });
  });

  test.each([
    ['/proc/rows.csv', 'Cannot create a file at "/proc/rows.csv".'],
    ['/proc/rows.csv --force', 'Cannot create a file at "/proc/rows.csv".'],
  ])('-o %s is refused before anything runs', async (path, sentence) => {
    const { millrace, queries } = await queriesFixture();
    const { code, stderr } = await millrace(`${QUERY} -o ${path}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(queries.bodies).toEqual([]);
  });

  test('a MID is a number', async () => {
    const { millrace } = await queriesFixture();
    expect(await millrace(`${QUERY} --mid abc`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('takes the MID of a business unit, which is a number'),
    });
  });

  test('a device that is full is reported in a sentence', async () => {
    const { millrace } = await queriesFixture();
    const { code, stderr } = await millrace(`${QUERY} -o /dev/full --format csv --force`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('The disk is full: "/dev/full".')]);
  });

  test('redraws one line in a terminal, and cuts text but no number to its width', async () => {
    const columns = [
      { name: 'Name', type: 'text' },
      { name: 'Note', type: 'text' },
      { name: 'Amount', type: 'number' },
    ] as const;
    const rows = [{ Name: '日本語の名前', Note: 'a long remark about it', Amount: 1234567 }];
    const { millrace } = await queriesFixture({ columns: [...columns], rows });
    const { lines, stderr } = await millrace(QUERY, { terminal: 36 });
    expect(lines).toEqual([
      'Name          Note            Amount',
      '日本語の名前  a long remar…  1234567',
    ]);
    expect(stderr).toContain('run-7  running  ');
    expect(stderr).toContain('\u001B[1A');
  });

  test('leaves columns out that do not fit, and says so', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `Column${index + 1}`);
    const columns = names.map((name) => ({ name, type: 'number' as const }));
    const rows = [Object.fromEntries(names.map((name) => [name, 1]))];
    const { millrace } = await queriesFixture({ columns, rows });
    const { lines, stderr } = await millrace(QUERY, { terminal: 30 });
    expect(lines[0]).toBe('Column1  Column2  Column3');
    expect(stderr).toContain(
      '6 columns more did not fit. Everything: millrace runs results run-7 -o FILE.csv',
    );
  });

  test('shows 50 rows, or as many as asked for, over several pages', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ Email: `${index}`, Opens: index }));
    const sights = [ready(60)];
    const { millrace } = await queriesFixture({ rows, sights: [...sights] });
    const few = await millrace(QUERY);
    expect(few.lines).toHaveLength(51);
    expect(few.stderr).toContain('These are the first 50.');
    const more = await queriesFixture({ rows, sights: [...sights] });
    expect((await more.millrace(`${QUERY} --limit 60`)).lines).toHaveLength(61);
  });

  test('tells 0 rows from a failure and a cancellation', async () => {
    const none = await queriesFixture({ rows: [], sights: [ready(0)] });
    const ran = await none.millrace(QUERY);
    expect(ran).toMatchObject({ code: 0, stdout: 'Email  Opens\n' });
    expect(ran.stderr).toContain('0 rows: the query ran, and nothing matched.');

    const error = { code: 'query_failed', message: 'Invalid object name.' };
    const failed = await queriesFixture({ sights: [{ status: 'failed', error }] });
    expect(await failed.millrace(QUERY)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('run-7 failed: Invalid object name. (query_failed)\n'),
    });

    const canceled = await queriesFixture({ sights: [{ status: 'canceled' }] });
    expect(await canceled.millrace(QUERY)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run-7 was cancelled.\n'),
    });
  });

  test('shows SQL that is wrong with a caret under the place', async () => {
    const problem = {
      severity: 'error',
      code: 'syntax',
      message: 'A comma is missing.',
      line: 2,
      column: 7,
    } as const;
    const report = { ...VALID, valid: false, problems: [problem] };
    const { millrace } = await queriesFixture({ report });
    const sql = `SELECT '日本語' AS A\n 日本 AS B x AS C`;
    expect(await millrace('query --file -', { stdin: sql })).toMatchObject({
      code: 4,
      stdout: '',
      stderr:
        'error: A comma is missing. (line 2, column 7)\n  2 |  日本 AS B x AS C\n    |         ^\n',
    });
    const json = await millrace('query --file - --json', { stdin: sql });
    expect(json.code).toBe(4);
    expect(documents(json.stderr)).toMatchObject([{ code: 'invalid_sql' }]);
  });

  test('is cancelled by Ctrl-C', async () => {
    const { millrace, queries } = await queriesFixture({ sights: [{ status: 'running' }] });
    const ran = await millrace(QUERY, { onWait: (_, interrupt) => interrupt() });
    expect(ran).toMatchObject({ code: 130, stdout: '' });
    expect(ran.stderr).toContain('run-7 is cancelled.');
    expect(queries.canceled).toEqual(['run-7']);
  });

  test('with --no-wait prints the id; with --json the run and its rows', async () => {
    const { millrace } = await queriesFixture();
    expect(await millrace(`${QUERY} --no-wait`)).toMatchObject({ code: 0, stdout: 'run-7\n' });
    const { stdout, stderr } = await millrace(`${QUERY} --json`);
    expect(documents(stdout)).toMatchObject([
      { id: 'run-7', status: 'ready', rows: [{ Email: 'ada@example.com', Opens: 12 }, {}] },
    ]);
    expect(stderr).toBe('');
  });

  test('runs a file or a snippet, in a business unit', async () => {
    const { millrace, queries } = await queriesFixture();
    const file = join(await folder(), 'q.sql');
    await writeFile(file, '\uFEFFSELECT 2 AS Two\n');
    await millrace(`query --file ${file} --mid 100002 --no-wait`);
    await millrace('query --snippet opens --no-wait');
    expect(queries.bodies).toEqual([
      { sql: 'SELECT 2 AS Two\n', mid: '100002' },
      { snippet: 'opens' },
    ]);
  });

  test.each([
    ['query', 'Missing query'],
    ['query --file -', 'The SQL is empty.'],
    [`${QUERY} --file q.sql`, 'Give either the SQL or --file.'],
    [`${QUERY} --snippet x`, 'Give either SQL or --snippet.'],
    [`${QUERY} -o rows.txt`, 'has no known suffix'],
    [`${QUERY} -o -`, 'In which form? Give --format'],
    [`${QUERY} -o rows.csv --format xlsx`, 'would hold XLSX. Call it .xlsx.'],
    [`${QUERY} --format csv`, 'name it with -o'],
    [`${QUERY} -o rows.csv --limit 5`, 'Files contain all rows'],
    [`${QUERY} -o rows.csv --no-wait`, 'leave out -o'],
  ])('%s is refused before anything runs', async (line, sentence) => {
    const { millrace, queries } = await queriesFixture();
    const { code, stderr } = await millrace(line);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    expect(queries.bodies).toEqual([]);
  });
});

describe('millrace query -o', () => {
  test('fetches all rows into a file', async () => {
    const { millrace, server } = await queriesFixture();
    const file = join(await folder(), 'rows.csv');
    const { code, stdout } = await millrace(`${QUERY} -o ${file}`);
    expect([code, stdout]).toEqual([0, `${file}\n`]);
    expect(await readFile(file, 'utf8')).toBe('Email,Opens\r\n');
    expect(server.requests).toContain('GET /runs/run-7/results.csv');
  });

  test('discards an interrupted download', async () => {
    const { millrace } = await queriesFixture({ file: null });
    const place = await folder();
    const { code, stderr } = await millrace(`${QUERY} -o ${join(place, 'rows.parquet')}`);
    expect(code).toBe(5);
    expect(stderr).toContain('The rows of run-7 ended early');
    expect(stderr).not.toContain('No Millrace');
    expect(await readdir(place)).toEqual([]);
  });

  test('says what Marketing Cloud says, where it failed on the way', async () => {
    const { millrace, service } = await queriesFixture({ file: null });
    service.handlers.getRunResults = () => {
      throw refusal('marketing_cloud_unavailable', 'Marketing Cloud is away.');
    };
    const file = join(await folder(), 'rows.csv');
    const ran = await millrace(`${QUERY} -o ${file}`);
    expect(ran).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Marketing Cloud is away.') as string,
    });
  });
});
