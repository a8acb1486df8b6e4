import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import { mergedPools } from '../server/src/start/work.ts';
import { declareWorkloads } from '../server/src/workloads/declare.ts';
import { createCatalogue } from '../workloads/reports/src/catalogue/catalogue.ts';
import { checksumFolder } from '../jobs/checksum-folder.ts';
import { parseFor } from '../cli/src/line/arguments.ts';
import { commands } from '../cli/src/main.ts';
import { parseSecret, sign } from '../server/src/webhook/sign.ts';
import { createCatalogue as pipelineCatalogue } from '../workloads/pipelines/src/catalogue.ts';
import { blocksOf } from './test/markdown.ts';
import { filesOf, root, textOf } from './test/tree.ts';

/**
 * Examples on the pages are read by what reads them in earnest, as far as they are ours and whole. An example that is in none of the lists
 * below fails the last test, so that a new one is tried, or known to be looked at for its form alone. Programs are in code.test.ts,
 * commands in commands.test.ts.
 */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-examples-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const blocks = (page: string, language: string): string[] =>
  blocksOf(textOf(page)).flatMap((block) => (block.language === language ? block.text : []));

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

test('configuration.md: the pool of a second org starts, where there is one', async () => {
  const [, text = ''] = blocks('docs/configuration.md', 'json');
  const config = readConfig({ MILLRACE_POOLS: text });
  const orgs = [{ name: 'second', retries: 3 }];
  const { kindsOf } = await declareWorkloads(workloads, config.workloads, { orgs });
  const named = config.pools.flatMap(({ kinds = [] }) => kinds);
  expect(kindsOf('second').map(({ kind }) => kind)).toEqual(named);
});

test('salesforce.md: a second org, and other names of fields', () => {
  const [orgs = '', fields = ''] = blocks('docs/salesforce.md', 'json');
  const { salesforce } = readConfig({
    SALESFORCE_CLIENT_ID: 'id',
    SALESFORCE_CLIENT_SECRET: 'secret',
    SALESFORCE_ORGS: orgs,
    SALESFORCE_FIELDS: fields,
  });
  const [first, second] = salesforce.orgs;
  expect(first?.names).toMatchObject({
    document: 'Doc_Job__c',
    fields: { due: 'ScheduledAfter__c' },
  });
  expect(second).toMatchObject({ name: 'second', connection: { apiVersion: '62.0' } });
});

test('agents.md: what clients start is a command with these options', () => {
  for (const text of blocks('docs/agents.md', 'json')) {
    const { mcpServers } = JSON.parse(text) as {
      mcpServers: Record<string, { args?: string[]; type?: string; url?: string }>;
    };
    for (const { args, type, url } of Object.values(mcpServers)) {
      if (args === undefined) expect([type, URL.canParse(url ?? '')]).toEqual(['http', true]);
      const [program, name, ...rest] = args ?? ['millrace', 'mcp'];
      const command = commands.find((each) => each.name === name);
      expect([program, command?.name]).toEqual(['millrace', name]);
      expect(() => parseFor(command ?? null, rest)).not.toThrow();
    }
  }
});

test('pipelines.md: the pipeline is one, with its schedule', async () => {
  const [whole = '', schedule = ''] = blocks('docs/pipelines.md', 'yaml');
  writeFileSync(join(folder, 'statements.yaml'), `${whole}\n${schedule}`.replace('least: 3', ''));
  writeFileSync(join(folder, 'statement.docx'), 'only its name counts here');
  writeFileSync(join(folder, 'services.yaml'), 'month-end:\n  tenant: ""\n  roles: [operator]\n');
  const catalogue = pipelineCatalogue({ folder, timeZone: 'UTC' });
  await catalogue.load();
  expect(catalogue.now().troubled).toEqual([]);
});

test('salesforce.md: the Apex is Apex, of classes that there are', async () => {
  // By its path: the package checks the types of its scripts itself.
  const parser = join(root, 'salesforce-package/scripts/apex-run/parser.mjs');
  const { parseClass } = (await import(parser)) as { parseClass(source: string): unknown };
  const own = join(root, 'salesforce-package/force-app/main/default/classes');
  for (const text of blocks('docs/salesforce.md', 'apex')) {
    expect(() => parseClass(`class Anonymous { void run() {\n${text}\n} }`), text).not.toThrow();
    const made = [...text.matchAll(/new (\w+)\(/g)].map(([, name = '']) => name);
    expect(made.length).toBeGreaterThan(0);
    for (const name of made) expect(existsSync(join(own, `${name}.cls`)), name).toBe(true);
  }
});

test('webhooks.md: the function knows what we have signed, and nothing else', async () => {
  const [text = ''] = blocks('docs/webhooks.md', 'js');
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, `${text}\nexport { isGenuine };`);
  const { isGenuine } = (await import(file)) as {
    isGenuine(headers: Readonly<Record<string, string>>, body: string, secret: string): boolean;
  };
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const [sent = ''] = blocks('docs/webhooks.md', 'json');
  const now = Math.floor(Date.now() / 1_000);
  const headers = (timestamp: number) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(parseSecret(secret) ?? Buffer.alloc(0), 'msg_1', timestamp, sent),
  });
  expect(isGenuine(headers(now), sent, secret)).toBe(true);
  expect(isGenuine(headers(now), `${sent} `, secret)).toBe(false);
  expect(isGenuine(headers(now - 3_600), sent, secret)).toBe(false);
});

/** By what, of each page and language. */
const RUN: Readonly<Record<string, readonly string[]>> = {
  // Here.
  json: [
    'docs/agents.md',
    'docs/configuration.md',
    'docs/errors.md',
    'docs/queries.md',
    'docs/salesforce.md',
    'docs/webhooks.md',
    'docs/templates.md', // examples/guide.test.ts prints it
  ],
  yaml: [
    'docs/configuration.md',
    'docs/pipelines.md',
    'docs/reports.md',
    'reports/README.md',
    'docs/operations/README.md', // operations.test.ts shows it to promtool
  ],
  ini: ['docs/reports.md'],
  sql: [
    'docs/configuration.md', // sql.test.ts
    'docs/operations/runbook.md',
  ],
  apex: ['docs/salesforce.md'],
  template: ['docs/templates.md'], // examples/guide.test.ts
  result: ['docs/templates.md'],
};
/** Languages of which another test reads every block: code.test.ts, embedding.test.ts, commands.test.ts. */
const READ_WHEREVER_THEY_ARE = ['ts', 'js', 'sh'];

test('every example is one of those that a test tries', () => {
  const untried: string[] = [];
  for (const page of filesOf(/\.md$/))
    for (const { language, text } of blocksOf(textOf(page))) {
      // What a command prints, and formulas: the tutorials hold them against what is printed.
      if (['', 'text', ...READ_WHEREVER_THEY_ARE].includes(language)) continue;
      if (language === 'yaml') parse(text);
      if (language === 'json') JSON.parse(text);
      if (RUN[language]?.includes(page) !== true) untried.push(`${page}: ${language}`);
    }
  expect(untried).toEqual([]);
});
