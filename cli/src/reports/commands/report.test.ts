import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusal } from '../../../test/contract-server.ts';
import { CSV, aReport, reportsFixture, running, succeeded } from '../../../test/reports.ts';
import { documents } from '../../../test/run.ts';
import { addressOf } from '../../../test/tamper.ts';

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

describe('millrace report run', () => {
  test('says how far it is, saves the file, and what it was', async () => {
    const place = await folder();
    const { millrace, reports } = await reportsFixture();
    const ran = await millrace(`report run timesheets --county 19 -o ${place}/out.csv`);
    expect(ran).toMatchObject({ code: 0, stdout: `${place}/out.csv\n` });
    expect(ran.stderr.split('\n')).toEqual([
      'pg-7 QUEUED',
      'pg-7 PROCESSING 40 %',
      'pg-7 SUCCEEDED',
      '1,000 rows, 6 KB, 12 s, 500 rows/s.',
      '',
    ]);
    expect(await readFile(`${place}/out.csv`)).toEqual(CSV);
    expect(await readdir(place)).toEqual(['out.csv']);
    expect(reports.bodies).toEqual([
      { parameters: { county: '19' }, format: 'csv', compression: null },
    ]);
  });

  test('shows a bar in a terminal', async () => {
    const place = await folder();
    const { millrace } = await reportsFixture();
    const { stderr } = await millrace(`report run timesheets --county 19 -o ${place}/out.csv`, {
      terminal: 120,
    });
    expect(stderr).toContain('40 %  400 of about 1,000 rows  500 rows/s  1.2 s left');
    expect(stderr).toContain('6 KB of 6 KB');
  });

  test('takes the parameters of the report, however they are written', async () => {
    const { millrace, reports } = await reportsFixture();
    const line = 'report run timesheets --no-wait --county=19 --business-date 2026-01-01';
    const ran = await millrace(`${line} --status open,paid --key k --priority 5 --format xlsx`);
    expect(ran).toMatchObject({ code: 0, stdout: 'pg-7\n' });
    expect(reports.bodies).toEqual([
      {
        parameters: { county: '19', business_date: '2026-01-01', status: ['open', 'paid'] },
        format: 'xlsx',
        key: 'k',
        priority: 5,
      },
    ]);
  });

  test.each(['out', 'out.2026', 'out-1.5', 'of.folder/out', 'out.csv', 'out.txt --format csv'])(
    'saves -o %s',
    async (name) => {
      const place = await folder();
      await mkdir(`${place}/of.folder`);
      const { millrace } = await reportsFixture();
      const ran = await millrace(`report run timesheets --county 19 -o ${place}/${name}`);
      expect(ran).toMatchObject({ code: 0 });
    },
  );

  test.each(['-19', '-1.5', '-.5'])(
    'takes %s for a value, and not for an option',
    async (value) => {
      const { millrace, reports } = await reportsFixture();
      expect(await millrace(`report run timesheets --county ${value} --no-wait`)).toMatchObject({
        code: 0,
      });
      expect(reports.bodies).toMatchObject([{ parameters: { county: value } }]);
    },
  );

  test('an empty value is none, as a parameter without a value is not', async () => {
    const { millrace, reports } = await reportsFixture();
    await millrace('report run timesheets --no-wait --county 19 --status=');
    expect(reports.bodies).toMatchObject([{ parameters: { county: '19', status: null } }]);
  });

  test.each([
    ['--county 19 --conty 20', 'Unknown option --conty: did you mean --county?'],
    ['--county 19 --frmat csv', 'Unknown option --frmat: did you mean --format?'],
    [
      '--county 19 --zebra 1',
      'Unknown option --zebra: the report "timesheets" takes --county, --business_date, --status.',
    ],
    ...['constructor', '__proto__'].map((name) => [
      `--county 19 --${name} 1`,
      `Unknown option --${name}: the report "timesheets" takes --county, --business_date, --status.`,
    ]),
    ['--county 19 --status -1x', 'Unknown option -1.'],
    ['', 'The report "timesheets" needs --county 19.'],
    ['--county', '--county needs a value: --county 19'],
    [
      '--county 19 --status -o out.csv',
      '--status needs a value: --status TEXT, or --status= for none',
    ],
    [
      '--county 19 -o out.xls',
      '"out.xls" has no known suffix. Use .csv, .jsonl, .xlsx, or .parquet, or give --format.',
    ],
    [
      '--county 19 -o out.json.gz',
      '"out.json.gz" has no known suffix. Use .csv, .jsonl, .xlsx, or .parquet, or give --format.',
    ],
    ['--county 19 --county 20', '--county takes one value, and was given 2 times.'],
    ['--county 19 -o out.xlsx --format csv', '"out.xlsx" would hold CSV. Call it .csv.'],
    ['--county 19 -o /proc/out.csv', 'Cannot create a file at "/proc/out.csv".'],
    ['--county 19 --no-wait -o out.csv', 'With --no-wait nothing is downloaded: leave out -o.'],
  ])('is refused with %s before anything runs', async (given, sentence) => {
    const { millrace, reports } = await reportsFixture();
    const ran = await millrace(`report run timesheets ${given}`);
    expect(ran).toMatchObject({ code: 2, stderr: `${sentence}\n` });
    expect(reports.bodies).toEqual([]);
  });

  test('says what is wrong with a value by its option', async () => {
    const { millrace, service } = await reportsFixture();
    service.handlers.startReport = () => {
      throw refusal('invalid_parameters', 'county: Write a whole number.', [
        { path: 'parameters.county', message: 'Write a whole number.' },
      ]);
    };
    expect(await millrace('report run timesheets --county x --no-wait')).toMatchObject({
      code: 2,
      stderr: '--county: Write a whole number.\n',
    });
  });

  test.each([
    ['out.csv.gz', { format: 'csv', compression: 'gzip' }],
    ['out.jsonl.zst', { format: 'jsonl', compression: 'zstd' }],
    ['out.xlsx', { format: 'xlsx', compression: null }],
    ['out', {}],
  ])('takes the form from the name %s', async (name, choice) => {
    const place = await folder();
    const { millrace, reports } = await reportsFixture();
    await millrace(`report run timesheets --county 19 -o ${place}/${name}`);
    expect(reports.bodies).toEqual([{ parameters: { county: '19' }, ...choice }]);
  });

  test('ends with 1 where the run failed, and says why', async () => {
    const error = { code: 'source_timeout', message: 'It took too long.' };
    const { millrace } = await reportsFixture({ sights: [{ state: 'FAILED', error }] });
    const ran = await millrace('report run timesheets --county 19 -o never.csv');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('pg-7 failed: It took too long. (source_timeout)');
  });

  test('is cancelled by Ctrl-C', async () => {
    const { millrace, reports } = await reportsFixture({ sights: [running(10), running(20)] });
    const ran = await millrace('report run timesheets --county 19 -o never.csv', {
      onWait: (_, interrupt) => interrupt(),
    });
    expect(ran.code).toBe(130);
    expect(reports.canceled).toEqual(['pg-7']);
    expect(ran.stderr).toContain('"millrace report retry pg-7" continues it.');
  });

  test('with --json is one document', async () => {
    const place = await folder();
    const { millrace } = await reportsFixture();
    const line = `report run timesheets --county 19 -o ${place}/out.csv --json`;
    expect(documents((await millrace(line)).stdout)).toMatchObject([
      { id: 'pg-7', state: 'SUCCEEDED', path: `${place}/out.csv` },
    ]);
  });
});

describe('the file', () => {
  const download = (place: string) => `report download pg-7 -o ${place}/out.csv`;

  test('resumes an interrupted download', async () => {
    const place = await folder();
    const { millrace, reports } = await reportsFixture({
      sights: [succeeded()],
      breaks: [1_000, 500],
    });
    expect(await millrace(download(place))).toMatchObject({ code: 0 });
    expect(reports.ranges).toEqual([undefined, 'bytes=1000-', 'bytes=1500-']);
    expect(await readFile(`${place}/out.csv`)).toEqual(CSV);
  });

  test('goes on where an earlier command was stopped', async () => {
    const place = await folder();
    await writeFile(`${place}/out.csv.pg-7.part`, CSV.subarray(0, 2_000));
    const { millrace, reports } = await reportsFixture({ sights: [succeeded()] });
    expect(await millrace(download(place))).toMatchObject({ code: 0 });
    expect(reports.ranges).toEqual(['bytes=2000-']);
    expect(await readFile(`${place}/out.csv`)).toEqual(CSV);
    expect(await readdir(place)).toEqual(['out.csv']);
  });

  test('is not kept where it is not what the run has written', async () => {
    const place = await folder();
    const file = Buffer.from(CSV);
    file[50] = 0;
    const { millrace } = await reportsFixture({ sights: [succeeded()], file });
    const ran = await millrace(download(place));
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('its SHA-256 differs');
    expect(await readdir(place)).toEqual([]);
  });

  test('is not put together of two', async () => {
    const place = await folder();
    await writeFile(`${place}/out.csv.pg-7.part`, 'something else');
    const { millrace } = await reportsFixture({ sights: [succeeded()] });
    expect((await millrace(download(place))).stderr).toContain('its SHA-256 differs');
    expect(await readdir(place)).toEqual([]);
  });

  test('that cannot be fetched keeps what came, and says how to go on', async () => {
    const place = await folder();
    const { millrace } = await reportsFixture({
      sights: [succeeded()],
      breaks: [100, 0, 0, 0, 0, 0, 0],
    });
    const ran = await millrace(download(place));
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain('millrace report download pg-7');
    expect(await readdir(place)).toEqual(['out.csv.pg-7.part']);
    expect(await readFile(`${place}/out.csv.pg-7.part`)).toEqual(CSV.subarray(0, 100));
  });

  test('is whole although two commands fetch it to the same place at once', async () => {
    const place = await folder();
    const { millrace, reports } = await reportsFixture({ sights: [succeeded()] });
    const others: Awaited<ReturnType<typeof millrace>>[] = [];
    const paused: typeof fetch = async (input, init) => {
      if (!addressOf(input).endsWith('/file')) return fetch(input, init);
      async function* halting() {
        yield CSV.subarray(0, 2_000);
        // The first half was written before this is asked for.
        others.push(await millrace(download(place)));
        yield CSV.subarray(2_000);
      }
      return new Response(ReadableStream.from(halting()));
    };
    const slow = await millrace(download(place), { fetch: paused });
    expect(others).toMatchObject([{ code: 0, stdout: `${place}/out.csv\n` }]);
    expect(reports.ranges).toEqual(['bytes=2000-']);
    expect(slow.code).toBe(2);
    expect(slow.stderr).toContain(
      `Another command was downloading the same file, and has saved it as "${place}/out.csv".`,
    );
    expect(await readFile(`${place}/out.csv`)).toEqual(CSV);
    expect(await readdir(place)).toEqual(['out.csv']);
  });

  test('goes into a pipe, which stays one', async () => {
    const place = await folder();
    execFileSync('mkfifo', [`${place}/out.csv`]);
    const read = buffer(createReadStream(`${place}/out.csv`));
    const { millrace } = await reportsFixture({ sights: [succeeded()] });
    expect(await millrace(`${download(place)} --force`)).toMatchObject({ code: 0 });
    expect((await stat(`${place}/out.csv`)).isFIFO()).toBe(true);
    expect(await read).toEqual(CSV);
  });

  test('goes to standard output', async () => {
    const { millrace } = await reportsFixture({ sights: [succeeded()] });
    expect((await millrace('report download pg-7 -o -')).bytes).toEqual(CSV);
  });

  test('replaces nothing without --force', async () => {
    const place = await folder();
    await writeFile(`${place}/out.csv`, 'mine');
    const { millrace, reports } = await reportsFixture({ sights: [succeeded()] });
    expect(await millrace(download(place))).toMatchObject({ code: 2 });
    expect(reports.ranges).toEqual([]);
    reports.sights = [succeeded()];
    expect(await millrace(`${download(place)} --force`)).toMatchObject({ code: 0 });
    expect(await readFile(`${place}/out.csv`)).toEqual(CSV);
  });
});

describe('millrace report', () => {
  test('lists runs', async () => {
    const { millrace } = await reportsFixture();
    expect((await millrace('report list', { terminal: 120 })).lines).toEqual([
      'RUN   REPORT      STATE   ROWS  DONE   TOOK  MADE  BY               PARAMETERS',
      'pg-7  timesheets  QUEUED     -     -  0.0 s  now   ada@example.com  county=19',
    ]);
    expect((await millrace('report list -q')).stdout).toBe('pg-7\n');
  });

  test('shows one', async () => {
    const { millrace, reports } = await reportsFixture({ sights: [succeeded()] });
    const { lines } = await millrace('report show pg-7', { terminal: 120 });
    expect(lines[0]).toBe('pg-7  SUCCEEDED');
    expect(lines).toContain('  file         timesheets.csv, 6 KB');
    reports.sights = [{ state: 'FAILED' }];
    expect((await millrace('report show pg-7')).code).toBe(1);
    expect((await millrace('report show pg-8')).code).toBe(3);
  });

  test('watches, cancels and retries one', async () => {
    const place = await folder();
    const { millrace, reports } = await reportsFixture();
    const watched = await millrace('report watch pg-7');
    expect(watched.stderr).toContain('Its file: millrace report download pg-7');
    expect((await millrace('report cancel pg-7')).stdout).toBe('pg-7 is cancelled.\n');
    reports.sights = [succeeded()];
    expect((await millrace(`report retry pg-7 -o ${place}/out.csv`)).code).toBe(0);
    expect(reports.retried).toEqual(['pg-7']);
    expect(await readFile(`${place}/out.csv`)).toEqual(CSV);
  });

  test('draws what follows from what', async () => {
    const node = (report: string, schedules = 0, inForce = true) => ({
      report,
      title: report,
      schedules,
      inForce,
    });
    const edge = {
      kind: 'all',
      rule: 0,
      match: 'business_date',
      as: 'nightly',
      when: null,
    } as const;
    const { millrace } = await reportsFixture({
      graph: {
        nodes: [
          node('payments', 1),
          node('summary'),
          node('mail'),
          node('timesheets', 2),
          node('gone', 0, false),
        ],
        edges: [
          { ...edge, from: 'payments', to: 'summary', when: 'more than 0 rows' },
          { ...edge, from: 'timesheets', to: 'summary' },
          {
            from: 'summary',
            to: 'mail',
            kind: 'one',
            rule: 0,
            match: null,
            as: 'parent',
            when: null,
          },
        ],
      },
    });
    expect((await millrace('report graph')).lines).toEqual([
      'payments (by schedule)',
      '└─ summary when more than 0 rows, with timesheets of the same business_date; as nightly',
      '   └─ mail',
      'timesheets (2 schedules)',
      '└─ summary with payments of the same business_date; as nightly (goes on above)',
      'gone (its file is wrong or gone)',
    ]);
  });

  test.each([
    ['report', 'Missing argument'],
    ['report stop pg-7', 'not "stop"'],
    ['report list --county 19', '"millrace report list" does not take --county'],
    ['report show pg-7 --format csv', 'does not take --format'],
    ['report list --limit 5 --all', 'Give either --limit or --all.'],
  ])('refuses %s', async (line, words) => {
    const { millrace } = await reportsFixture();
    const ran = await millrace(line);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(words);
  });

  test('completes reports, their parameters and the values of these', async () => {
    const { millrace } = await reportsFixture({ reports: [aReport(), aReport({ name: 'other' })] });
    const complete = async (line: string) => (await millrace(`completion words -- ${line}`)).lines;
    expect(await complete('report run t')).toEqual(['timesheets']);
    expect(await complete('report run timesheets --b')).toEqual(['--business_date']);
    expect(await complete('report run timesheets --status p')).toEqual(['paid']);
    expect(await complete('report show p')).toEqual(['pg-7']);
    expect(await complete('report run timesheets --compression g')).toEqual(['gzip']);
  });
});
