import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type JobKind,
  type Rule,
  type Schedule,
  createRegistry,
  dependantsOf,
} from '@millrace/engine';
import { problem } from '@millrace/api';
import { workloads } from '@millrace/workloads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../server/src/config/config.ts';
import { gatherSettings } from '../server/src/config/file.ts';
import { mergedPools } from '../server/src/start/pools.ts';
import { declareWorkloads } from '../server/src/workloads/declare.ts';
import { createCatalogue } from '../workloads/reports/src/catalogue/catalogue.ts';
import { checksumFolder } from '../jobs/checksum-folder.ts';
import { filesOf, root, textOf } from './test/tree.ts';

/**
 * YAML, JSON and INI on the pages are read by what reads them in earnest, as far as they are ours and whole. A page that is in neither
 * list below fails the last test, so that a new example is either tried or known to be looked at for its form alone.
 */
const LANGUAGES = new Set(['yaml', 'json', 'ini']);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-examples-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Also those above the first heading of a section. */
const blocksOf = (page: string) =>
  [...textOf(page).matchAll(/^ *```(\w+).*\n([\s\S]*?)^ *```/gm)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );
const blocks = (page: string, language: string): string[] =>
  blocksOf(page).flatMap((block) => (block.language === language ? block.text : []));

/** What a start does with pools, with the kinds of a fresh clone. */
async function startedWith(config: ReturnType<typeof readConfig>) {
  const declared = await declareWorkloads(workloads, config.workloads, { orgs: [] });
  const known = [checksumFolder.kind, ...declared.kinds.map(({ kind }) => kind)];
  const pools = mergedPools(config.pools, declared.pools);
  const kinds = pools.flatMap((pool) => pool.kinds ?? []);
  expect(known).toEqual(expect.arrayContaining(kinds));
  expect(kinds.filter((kind, index) => kinds.indexOf(kind) !== index)).toEqual([]);
  const names = pools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  return pools;
}

test('configuration.md: the pools start, with the kind of reports in one of them', async () => {
  const [text = ''] = blocks('docs/configuration.md', 'json');
  const pools = await startedWith(readConfig({ MILLRACE_POOLS: text }));
  expect(pools.find(({ name }) => name === 'exports')?.kinds).toContain('report');
  expect(pools.map(({ name }) => name)).not.toContain('reports');
});

test('configuration.md: the file in place of variables starts', async () => {
  const [text = ''] = blocks('docs/configuration.md', 'yaml');
  writeFileSync(join(folder, 'millrace.yaml'), text);
  const { environment, file } = gatherSettings({}, folder);
  const config = readConfig(environment, file);
  expect(config).toMatchObject({ port: 8080, leaseMs: 90_000 });
  await startedWith(config);
});

test('a pool of the name of a workload’s says what to do', async () => {
  const MILLRACE_POOLS = '[{"name":"reports","kinds":["checksum-folder"]}]';
  await expect(startedWith(readConfig({ MILLRACE_POOLS }))).rejects.toThrow(
    'the pool "reports" has the kind "report" by itself. Add it to the kinds of yours',
  );
});

test('jobs/README.md: the first example is loaded beside everything that ships', async () => {
  const [text = ''] = blocks('jobs/README.md', 'ts');
  // Within the repository, where its imports are found.
  const beside = mkdtempSync(join(root, 'docs/test/example-'));
  let exported: unknown[];
  try {
    writeFileSync(join(beside, 'example.ts'), text);
    exported = Object.values((await import(join(beside, 'example.ts'))) as object);
  } finally {
    rmSync(beside, { recursive: true });
  }
  const having = <T>(field: string) =>
    exported.filter((each) => typeof each === 'object' && each !== null && field in each) as T[];
  const declared = await declareWorkloads(workloads, readConfig({}).workloads, { orgs: [] });
  const registry = createRegistry([...having<JobKind>('run'), ...declared.kinds]);
  dependantsOf(registry, [...having<Rule>('child'), ...declared.rules], declared.books);
  const schedules = having<Schedule>('cron');
  expect([having('run').length, having('child').length, schedules.length]).toEqual([2, 1, 1]);
  for (const { job } of schedules)
    expect(registry.require(job.kind).input.safeParse(job.data).success).toBe(true);
});

test('reports.md: the settings are read', async () => {
  for (const text of blocks('docs/reports.md', 'ini')) {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => line.replace(/\s+#.*$/, ''));
    const config = readConfig(Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2))));
    expect(config.workloads.get('reports')).toMatchObject(
      /_S3_|_AZURE_/.test(text)
        ? { storage: expect.objectContaining({ prefix: 'millrace' }) }
        : { source: expect.anything() },
    );
  }
});

test('queries.md: several enterprises share an installation', () => {
  const [text = ''] = blocks('docs/queries.md', 'json');
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'whisper');
  const config = readConfig({
    MCE_ACCOUNTS: text.replace('/run/secrets/mce-globex', secret),
  });
  expect(config.workloads.get('queries')).toMatchObject({
    accounts: [{ clientSecret: 'whisper', mids: [{ tenant: 'globex', eid: '520000001' }] }],
  });
});

test('reports: the files are reports, and the schedule is that of one', async () => {
  const [whole = ''] = blocks('reports/README.md', 'yaml');
  const [schedule = ''] = blocks('docs/reports.md', 'yaml');
  writeFileSync(join(folder, 'payments.yaml'), `${whole}\n${schedule}`);
  writeFileSync(
    join(folder, 'services.yaml'),
    'nightly-exports:\n  tenant: ""\n  roles: [operator]\n',
  );
  const catalogue = createCatalogue({ folder, defaults: { timeZone: 'UTC' } });
  await catalogue.load();
  const { reports, troubled } = catalogue.now();
  expect(troubled).toEqual([]);
  expect([...reports.keys()]).toEqual(['payments']);
});

test('errors.md: the problem is one that a server answers', () => {
  for (const text of blocks('docs/errors.md', 'json'))
    expect(problem.parse(JSON.parse(text)).code).not.toBe('');
});

/** Read above. */
const TRIED = [
  'docs/configuration.md',
  'docs/errors.md',
  'docs/queries.md',
  'docs/reports.md',
  'reports/README.md',
];
/** Parts of files, settings of other programs and answers: only their form is looked at here. */
const WELL_FORMED = [
  'docs/agents.md',
  'docs/operations/README.md',
  'docs/pipelines.md',
  'docs/salesforce.md',
  'docs/templates.md',
  'docs/webhooks.md',
];

test('every example is well-formed, and belongs to a page that is known here', async () => {
  const untried: string[] = [];
  for (const page of filesOf(/\.md$/))
    for (const { language, text } of blocksOf(page)) {
      if (!LANGUAGES.has(language)) continue;
      if (language === 'yaml') parse(text);
      if (language === 'json') JSON.parse(text);
      if (![...TRIED, ...WELL_FORMED].includes(page)) untried.push(page);
    }
  expect(untried).toEqual([]);
});
