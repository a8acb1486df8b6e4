import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aReport, reportsFixture } from '../../../test/reports.ts';
import { documents, run } from '../../../test/run.ts';

describe('millrace reports', () => {
  test('lists them, with what they take and what is wrong with files', async () => {
    const { millrace } = await reportsFixture({
      troubled: [
        { file: 'broken.yaml', problems: [{ line: 12, column: 3, message: 'There is no field.' }] },
      ],
    });
    const ran = await millrace('reports', { terminal: 140 });
    expect(ran.lines).toEqual(
      [
        'REPORT      TITLE       PARAMETERS                               FORMATS   SCHEDULES  YOU GET',
        'timesheets  Timesheets  --county [--business_date] [--status]  csv xlsx          -  All rows.',
      ].map((line) =>
        expect.stringMatching(line.replaceAll(/ {2,}/g, ' +').replaceAll(/[[\]().]/g, '\\$&')),
      ),
    );
    expect(ran.stderr).toContain('broken.yaml:12:3  There is no field.');
    expect((await millrace('reports -q')).stdout).toBe('timesheets\n');
    expect(documents((await millrace('reports --json')).stdout)).toEqual([aReport()]);
  });

  test('says where a file would go', async () => {
    const { millrace } = await reportsFixture({ reports: [] });
    expect((await millrace('reports')).stderr).toBe(
      'No reports. A file in /srv/reports makes one.\n',
    );
  });

  test('shows one with its parameters, and how to run it', async () => {
    const { millrace } = await reportsFixture();
    const { lines } = await millrace('reports show timesheets', { terminal: 100 });
    expect(lines).toContain('    --business_date  date; 2026-01-30 (yesterday) unless given');
    expect(lines).toContain('    --status         choice, several; open | paid');
    expect(lines.at(-1)).toBe('  millrace report run timesheets --county 19 -o timesheets.csv');
    expect((await millrace('reports show nope')).code).toBe(3);
  });

  test('fills the sample, and waits until it is there', async () => {
    const { millrace, reports } = await reportsFixture({
      samples: [
        { percent: 30, makes: 'timesheets' },
        { state: 'ready', percent: 100 },
      ],
    });
    const ran = await millrace('reports seed --rows 5000');
    expect(ran).toMatchObject({ code: 0, stdout: '5,000 timesheets in 1.0 s.\n' });
    expect(reports.bodies).toEqual([{ rows: 5_000 }]);
    reports.samples = [{ state: 'failed', error: 'The disk is full.' }];
    expect(await millrace('reports seed --rows 10')).toMatchObject({
      code: 1,
      stderr: 'The sample was not filled: The disk is full.\n',
    });
    expect(await millrace('reports seed --rows 10 --no-wait')).toMatchObject({ code: 0 });
  });

  test.each([
    ['reports seed', 'Missing --rows N'],
    ['reports seed --rows 20000000', '--rows takes at most 10,000,000.'],
    ['reports show timesheets --rows 5', 'does not take --rows'],
    ['reports --rows 5', 'does not take --rows'],
    ['reports check /nowhere', 'Folder not found: "/nowhere".'],
  ])('refuses %s', async (line, words) => {
    const { millrace } = await reportsFixture();
    const ran = await millrace(line);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(words);
  });
});

describe('millrace reports check', () => {
  async function folder(files: Readonly<Record<string, string>>): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
    onTestFinished(() => rm(made, { recursive: true }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(made, name), text);
    return made;
  }
  const GOOD = 'title: One\nsql: SELECT 1 AS id\nkey: id\npublic: true\n';

  test('reads the files without a server', async () => {
    const place = await folder({ 'one.yaml': GOOD });
    const ran = await run(['reports', 'check', place], null, { unnamed: true });
    expect(ran).toMatchObject({ code: 0, stderr: `1 report in ${place}, nothing wrong.\n` });
  });

  test('says everything that is wrong with its line and column', async () => {
    const place = await folder({
      'one.yaml': GOOD,
      'two.yaml': 'title: Two\nsql: SELECT :day AS id\nkey: id\npublic: true\n',
      'three.yaml': 'title: [',
    });
    const ran = await run(['reports', 'check', place], null, { unnamed: true });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^three\.yaml:\d+:\d+ {2}\S/m);
    expect(ran.stdout).toMatch(/^two\.yaml:2:\d+ {2}\S/m);
    const found = documents(
      (await run(['reports', 'check', place, '--json'], null, { unnamed: true })).stdout,
    );
    expect(found).toContainEqual(expect.objectContaining({ file: 'two.yaml', line: 2 }));
  });
});
