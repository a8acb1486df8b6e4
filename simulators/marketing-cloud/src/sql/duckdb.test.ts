import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { ensureDuckdb } from './duckdb.ts';

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
      /could not be installed.* With a network, run "npm ci" in .* npm said: /,
    ),
  });
  expect(lines).toEqual([
    'Installing DuckDB (70 MB, once): the simulated Marketing Cloud runs its SQL on it.',
  ]);
});
