import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../lab/chaos/test/factory.ts';
import { textOf } from '../connectors/office/test/documents.ts';
import { need } from '../scripts/need.mjs';
import { type Started, startMain } from '../server/test/process.ts';
import { type Block, type Section, sectionsOf } from './test/markdown.ts';
import { APP, type DocumentedOrg, PACKAGE, startDocumentedOrg } from './test/org.ts';

// Every command of salesforce.md in its order, in a folder like a fresh clone, against the built server. `sf` is a stand-in
// (test/sf.mjs) that reaches a simulated org; the certificate that the page makes is the one that this org knows.

await need('build');
await need('office');
await need('pdf');

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const sections = sectionsOf(await readFile(join(root, 'docs/salesforce.md'), 'utf8'));

let folder: string;
let server: Started | null = null;
let address = '';
let org: DocumentedOrg | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-salesforce-'));
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // A copy: the page writes the credentials into it.
  await cp(PACKAGE, join(folder, 'salesforce-package'), {
    recursive: true,
    filter: (path) => !path.endsWith('node_modules'),
  });
}, 240_000);

afterAll(async () => {
  await stop();
  await org?.salesforce.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe.sequential('salesforce.md', () => {
  it('has something to look at without an org', { timeout: 120_000 }, async () => {
    const [start, look] = commandsOf('Try it without an org');
    expect(start).toBe('npm start');
    await serve({ SALESFORCE_SANDBOX: 'true' });
    const said = await shell(look ?? '');
    expect(said).toContain('Objects and Apex.');
    expect(said.match(/^salesforce-\w+/gm)).toHaveLength(3);
    await stop();
  });

  it('names what is there to deploy and to assign', async () => {
    org = await startDocumentedOrg(folder);
    for (const title of [
      '1. Deploy the package',
      '2. A user for the service',
      '5. Let the org call the service',
    ])
      for (const command of commandsOf(title)) await shell(command);
    await org.salesforce.close();
  });

  it('makes a key that lets the service in', { timeout: 120_000 }, async () => {
    for (const command of commandsOf('3. Let the service in')) await shell(command);
    const certificate = await readFile(join(folder, 'salesforce.crt'), 'utf8');
    org = await startDocumentedOrg(folder, {
      apps: [{ ...APP, clientId: 'CONSUMER-KEY', certificate }],
    });
    const [start, check, look] = commandsOf('4. Start');
    await serve({ ...settingsIn(start ?? ''), POLLER_IDLE_INTERVAL_MS: '500' });
    expect(await shell(check ?? '')).not.toContain('missing');
    expect(await shell(look ?? '')).toContain('"salesforce:salesforce","ok":true');
    expect(await shell(look ?? '')).toContain('Objects and Apex.');
  });

  it('makes a first document', { timeout: 120_000 }, async () => {
    await inOrg().insert('Account', { Name: 'Guest House at the Weir' });
    const commands = commandsOf('6. A first document');
    const result = commands.pop() ?? '';
    for (const command of commands) expect(await shell(command)).not.toBe('');
    await until(async () => documents().every(({ Status__c }) => Status__c === 'SUCCEEDED'));
    expect(await shell(result)).toContain('SUCCEEDED');
    const [made] = documents();
    const file = inOrg()
      .files()
      .find(({ versionId }) => versionId === made?.['OutputFileId__c']);
    const title = 'Overview of Guest House at the Weir';
    expect(file).toMatchObject({ title, parents: [idOf('Account')] });
    const body = inOrg().body(file?.versionId ?? '');
    const text = textOf(body ?? new Uint8Array());
    for (const shown of ['Ann Miller', 'Bob Carter', 'bob@weir.example'])
      expect(text).toContain(shown);
    expect(made?.['Result__c']).not.toContain('warnings');
  });

  it('finds what an earlier poller has left', async () => {
    await inOrg().insert('Generated_Document__c', { Status__c: 'PROCESSING' });
    const [deploy, find] = commandsOf('Moving an org that has the object');
    await shell(deploy ?? '');
    expect(await shell(find ?? '')).toContain('Total number of records retrieved: 1.');
  });
});

it('has no command that nothing here runs', () => {
  const titles = sections.filter(({ blocks }) => blocks.some(isShell)).map(({ title }) => title);
  expect(titles).toEqual([
    'Try it without an org',
    '1. Deploy the package',
    '2. A user for the service',
    '3. Let the service in',
    '4. Start',
    '5. Let the org call the service',
    '6. A first document',
    'Moving an org that has the object',
  ]);
});

function isShell({ language }: Block): boolean {
  return language === 'sh';
}

function commandsOf(title: string): string[] {
  const section = sections.find((each): each is Section => each.title === title);
  return (section?.blocks ?? []).filter(isShell).map(({ text }) => text);
}

/** What the page exports before it starts the service, with the simulated org as the login. */
function settingsIn(command: string): Record<string, string> {
  expect(command).toMatch(/\nnpm start$/);
  const exported = Object.fromEntries(
    [...command.matchAll(/^export (\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  return { ...exported, SALESFORCE_LOGIN_URL: org?.salesforce.loginUrl ?? '' };
}

function inOrg(): DocumentedOrg['salesforce']['org'] {
  if (org === null) throw new Error('there is no org yet');
  return org.salesforce.org;
}

function documents(): Record<string, unknown>[] {
  return inOrg().records('Generated_Document__c');
}

/** What the page calls $TEMPLATE, $ACCOUNT and so on: the last one there is. */
function idOf(type: string): string {
  const id = org?.salesforce.org.records(type).at(-1)?.['Id'];
  return typeof id === 'string' ? id : '';
}

async function serve(env: Record<string, string>): Promise<void> {
  server = startMain({ PORT: '0', CONVERSION_MAX_CONCURRENT: '1', ...env }, folder);
  [, address = ''] = await server.says(/"address":"([^"]+)"/);
}

async function stop(): Promise<void> {
  server?.child.kill('SIGTERM');
  await server?.ended;
  server = null;
}

async function shell(command: string): Promise<string> {
  const script = command
    .replaceAll('npx millrace', 'millrace')
    .replaceAll('localhost:3000', address === '' ? 'localhost:3000' : new URL(address).host);
  const env = {
    PATH: [org?.bin, join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    MILLRACE_URL: address,
    ...org?.env,
    SF_CLIENT_ID: 'CONSUMER-KEY',
    SALESFORCE_LOGIN_URL: org?.salesforce.loginUrl,
    SALESFORCE_CLIENT_ID: 'CONSUMER-KEY',
    SALESFORCE_USERNAME: 'docgen@example.com',
    SALESFORCE_PRIVATE_KEY: 'salesforce.key',
    TEMPLATE: idOf('Docgen_Template__c'),
    VERSION: idOf('ContentVersion'),
    ACCOUNT: idOf('Account'),
  };
  const { stdout, stderr } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env,
  });
  return stdout + stderr;
}
