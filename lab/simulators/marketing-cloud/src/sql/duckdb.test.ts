import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createCloud } from '../cloud.ts';
import { settle } from '../options.ts';
import { validate } from '../rest/queries.ts';
import { DuckdbMissing, ensureDuckdb, reasonIn } from './duckdb.ts';
import { openOnce } from './runner.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Without a lock file npm refuses at once, as it does later without a network. */
async function emptyFolder(): Promise<URL> {
  const path = await mkdtemp(join(tmpdir(), 'duckdb-'));
  folders.push(path);
  await writeFile(join(path, 'package.json'), '{"private":true}');
  return pathToFileURL(`${path}/`);
}

test('without DuckDB a sentence says what to do', async () => {
  const folder = await emptyFolder();
  const lines: string[] = [];
  const options = { folder, log: (line: string) => lines.push(line) };
  await expect(ensureDuckdb({ ...options, install: false })).rejects.toMatchObject({
    code: 'duckdb_missing',
    message: expect.stringMatching(/runs SQL on DuckDB, which is not installed\. Run "npm ci" in /),
  });
  expect(lines).toEqual([]);
  await expect(ensureDuckdb({ ...options, install: true })).rejects.toMatchObject({
    code: 'duckdb_missing',
    message: expect.stringMatching(
      /could not be installed.* With a network, run "npm ci" in .* npm said: code EUSAGE .*existing package-lock\.json/,
    ),
  });
  expect(lines).toEqual([
    'Installing DuckDB (95 MB, once): the simulated Marketing Cloud runs its SQL on it.',
  ]);
});

test("npm's reason is kept, not the line that says where its log is", () => {
  const said = [
    'npm error code ENOTFOUND',
    'npm error network request to https://registry.example/x failed',
    'npm error A complete log of this run can be found in: /home/x/.npm/_logs/2026-debug-0.log',
    '',
  ].join('\n');
  expect(reasonIn(said)).toBe(
    'code ENOTFOUND network request to https://registry.example/x failed',
  );
});

test('what could not be opened is tried again after a minute, not with every query', async () => {
  let now = 0;
  let tries = 0;
  const { get } = openOnce(
    async () => {
      tries += 1;
      if (tries < 3) throw new DuckdbMissing(`try ${tries}`);
      return 'open';
    },
    () => now,
  );
  await expect(get()).rejects.toThrow('try 1');
  now = 59_999;
  await expect(get()).rejects.toThrow('try 1');
  now = 60_000;
  await expect(get()).rejects.toThrow('try 2');
  now = 120_000;
  await expect(get()).resolves.toBe('open');
  now = 1e9;
  await expect(get()).resolves.toBe('open');
  expect(tries).toBe(3);
});

test('without DuckDB the platform is unavailable: the SQL is not refused', async () => {
  const cloud = createCloud(settle({}));
  const [unit] = cloud.units.values();
  if (unit === undefined) throw new Error('no unit');
  const runner = {
    ...cloud.runner,
    check: async () => {
      throw new DuckdbMissing('DuckDB is missing.');
    },
  };
  const answer = await validate({ ...cloud, runner }, unit, { Text: 'SELECT 1 AS n' });
  expect(answer).toMatchObject({ status: 503 });
  expect(String(answer.body)).toContain('DuckDB is missing.');
});
