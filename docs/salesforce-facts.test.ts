import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failures } from '@millrace/documents/contract';
import { requestHashOf } from '@millrace/documents';
import { lint } from '@millrace/docx';
import { createSalesforceStore, FIELD_NAMES } from '@millrace/store-salesforce';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../server/src/config/config.ts';
import { environment } from '../server/src/config/environment.ts';
import { connectionFiles, problemsOf } from '../salesforce-package/scripts/connection.mjs';
import { orgCheck } from '../server/src/health.ts';
import {
  FAILED,
  LEVELS,
  account,
  claim,
  made,
  settleAll,
  waiting,
} from '../stores/salesforce/test/documents.ts';
import { type World, startOrg } from '../stores/salesforce/test/org.ts';
import { sectionsOf } from './test/markdown.ts';
import { METADATA } from './test/org.ts';

// What the pages about Salesforce say, held against the sources: names, settings, sentences of /readyz, codes, requests.

const folder = import.meta.dirname;
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const PAGES = [
  'salesforce.md',
  'salesforce-idempotency.md',
  'salesforce-linking.md',
  'operations/runbook.md',
  'decisions/0008-salesforce-leases.md',
  'guarantees.md',
];
const page = read('salesforce.md');
/** Wherever its lines end. */
const words = page.replaceAll(/\s+/g, ' ');
const sections = sectionsOf(page);
const connection = connectionFiles({
  service: 'https://docgen.acme.com',
  tenant: '11111111-2222-3333-4444-555555555555',
  scope: 'api://docgen/.default',
});

describe('names', () => {
  const fieldsOf = (object: string) => names(`objects/${object}/fields`, '.field-meta.xml');
  const objects = readdirSync(join(METADATA, 'objects'));
  const fields = objects.flatMap(fieldsOf);
  const known = new Set([
    ...objects,
    ...fields,
    ...fields.map((name) => name.replace(/__c$/, '__r')),
    // Of orgs that have called something otherwise.
    'ScheduledAfter__c',
    'Doc_Job__c',
  ]);

  it.each(PAGES)('of objects and fields in %s are those of the package', (file) => {
    const said = [...read(file).matchAll(/\b[A-Za-z]\w*?__[cer]\b/g)].map(([name]) => name);
    expect([...new Set(said)].filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(PAGES)('of classes and permission sets in %s are those of the package', (file) => {
    const there = new Set([
      ...names('classes', '.cls'),
      ...names('permissionsets', '.permissionset-meta.xml'),
      ...Object.keys(connection).map((path) => basename(path).replace(/\..*/, '')),
      ...objects,
    ]);
    const said = [...read(file).matchAll(/`((?:Batch)?Docgen\w+)/g)].map(([, name = '']) => name);
    expect([...new Set(said)].filter((name) => !there.has(name))).toEqual([]);
  });

  it('of an earlier org and of the package together are all fields', () => {
    const [, kept = '', added = ''] =
      /keep their names and their meaning:(.*?)New on it are:(.*?)New objects/.exec(words) ?? [];
    const listed = [kept, added].map((text) => text.match(/\w+__c/g) ?? []);
    expect(listed[0]).toHaveLength(12);
    expect(listed.flat().toSorted()).toEqual(fieldsOf('Generated_Document__c').toSorted());
  });

  it('of what one sees in Setup and in Flow are those of the metadata', () => {
    const labels = ['lwc', 'classes']
      .flatMap((where) => textsIn(join(METADATA, where)))
      .concat(Object.values(connection))
      .join('\n');
    const shown = ['Generate Document', 'Generate Document (Action)', 'Generated Documents'];
    for (const label of [...shown, 'Docgen Entra', 'Docgen_Service', 'Docgen Service']) {
      expect(words).toContain(`*${label}*`);
      expect(labels).toContain(label);
    }
    const action = readFileSync(join(METADATA, 'classes/DocgenEnqueueAction.cls'), 'utf8');
    const shownInFlow = ['Template Id', 'Record Id', 'Record Ids', 'Output Format', 'Priority'];
    for (const label of [...shownInFlow, 'Document Id', 'Document Ids', 'Failed', 'Error']) {
      expect(words).toContain(label);
      expect(action).toContain(`label='${label}'`);
    }
  });

  it('of the first template are all that its file shows', () => {
    const [, list = ''] = /"FieldList__c":"([^"]+)"/.exec(page) ?? [];
    const listed = list.split('\\n').map((path) => path.replace('Contacts.', 'Contacts[].'));
    const template = readFileSync(join(folder, '../examples/account/template.docx'));
    const shown = lint(template).fields.map(({ path }) => path);
    expect([...new Set(shown)].filter((path) => path !== 'Contacts').toSorted()).toEqual(
      listed.toSorted(),
    );
  });

  it('of the Apex example are there to be called', () => {
    const batch = readFileSync(join(METADATA, 'classes/BatchDocgenEnqueue.cls'), 'utf8');
    expect(batch).toContain(
      'public BatchDocgenEnqueue(Id templateId, List<Id> recordIds, String outputFormat)',
    );
    expect(batch).toContain(
      'public BatchDocgenEnqueue(Id templateId, String query, String outputFormat)',
    );
  });

  function names(under: string, ending: string): string[] {
    const path = join(METADATA, under);
    if (!existsSync(path)) return [];
    return readdirSync(path)
      .filter((name) => name.endsWith(ending))
      .map((name) => basename(name, ending));
  }
});

describe('the connection that the org calls the service by', () => {
  const right = {
    service: 'https://docgen.acme.com',
    tenant: '11111111-2222-3333-4444-555555555555',
    scope: 'api://docgen/.default',
  };

  it('has what it was given, and is no part of what is deployed again', () => {
    expect(problemsOf(right)).toEqual([]);
    const texts = Object.values(connectionFiles(right)).join('\n');
    for (const value of [right.service, right.tenant, right.scope]) expect(texts).toContain(value);
    for (const kind of ['namedCredentials', 'externalCredentials'])
      expect(existsSync(join(METADATA, kind))).toBe(false);
    for (const text of textsIn(join(METADATA, 'permissionsets')))
      expect(text).not.toContain('externalCredentialPrincipal');
  });

  it('lets whoever calls have the token renewed', () => {
    const set = connectionFiles(right)['permissionsets/Docgen_Call.permissionset'];
    expect(set).toMatch(
      /<modifyAllRecords>true<\/modifyAllRecords>\s*<object>UserExternalCredential</,
    );
  });

  it.each([
    ['service', 'https://docgen.example.com'],
    ['service', 'http://docgen.acme.com'],
    ['service', 'https://docgen.acme.com/generate'],
    ['tenant', '00000000-0000-0000-0000-000000000000'],
    ['tenant', 'acme'],
    ['scope', 'api://docgen'],
  ])('is refused with %s %s', (name, value) => {
    expect(problemsOf({ ...right, [name]: value })).toEqual([
      expect.stringContaining(`--${name}:`),
    ]);
  });
});

describe('settings', () => {
  const rows = [...page.matchAll(/^\| `((?:SALESFORCE|POLLER)_\w+)` \| (\S+) \|/gm)];

  it('are all of them, with their defaults', () => {
    const all = Object.entries(environment.shape)
      .filter(([name]) => /^(SALESFORCE|POLLER)_/.test(name))
      .map(([name, schema]) => [name, schema.meta()?.['fallback'] ?? 'unset']);
    const said = rows.map(([, name, value = '']) => [name, value.replaceAll('`', '')]);
    expect(said).toHaveLength(all.length);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(all));
  });

  it('of the examples are taken', () => {
    const [orgs = ''] = jsonIn('Several orgs');
    const [fields = ''] = jsonIn('Other names');
    const config = readConfig({
      SALESFORCE_CLIENT_ID: 'key',
      SALESFORCE_CLIENT_SECRET: 'secret',
      SALESFORCE_FIELDS: fields,
      SALESFORCE_ORGS: orgs,
    });
    expect(config.salesforce.orgs.map(({ name }) => name)).toEqual(['salesforce', 'second']);
  });

  it('have every word for a field', () => {
    const text = sections.find(({ title }) => title === 'Other names')?.text.split('```')[0] ?? '';
    const named = [...text.matchAll(/`([a-z]\w+)`/g)].map(([, word = '']) => word);
    expect(named.toSorted()).toEqual(['document', ...FIELD_NAMES].toSorted());
  });

  function jsonIn(section: string): string[] {
    const blocks = sections.find(({ title }) => title === section)?.blocks ?? [];
    return blocks.filter(({ language }) => language === 'json').map(({ text }) => text);
  }
});

describe('codes of failed documents', () => {
  const rows = sections.find(({ title }) => title === 'When something is wrong')?.text ?? '';
  const said = [...rows.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
  );

  it('have every reason of a document', () => {
    const reasons = Object.keys(failures);
    expect(reasons.filter((reason) => !said.includes(reason))).toEqual([]);
  });
});

/** Figures that the pages give in words. */
it.each([
  ['classes/DocgenService.cls', 'INTERACTIVE_LEASE_SECONDS = 180;'],
  ['classes/DocgenService.cls', 'INTERACTIVE_PRIORITY = 100;'],
  ['classes/DocgenIdempotency.cls', 'WINDOW_HOURS = 24;'],
  ['classes/DocgenEnvelopeService.cls', 'LONGEST_REQUEST = 131072;'],
])('%s has %s', (file, figure) => {
  expect(readFileSync(join(METADATA, file), 'utf8')).toContain(figure);
});
it.each([
  ['stores/salesforce/src/governor.ts', 'SLOW_MS = 60_000;'],
  ['stores/salesforce/src/governor.ts', 'LOOK_EVERY_MS = 300_000;'],
  ['stores/salesforce/src/levels/moves.ts', 'FORGET_AT_ONCE = 1_000;'],
  ['stores/salesforce/src/store.ts', 'gatherMs ?? 1_000'],
  ['connectors/salesforce/src/records/graphs.ts', 'MOST_GRAPHS = 75;'],
  ['connectors/salesforce/src/records/graphs.ts', 'MOST_NODES = 500;'],
  ['connectors/salesforce/src/records/graphs.ts', 'MOST_BYTES = 30 * 1024 * 1024;'],
  ['connectors/salesforce/src/salesforce.ts', 'concurrency: 20'],
  ['workloads/documents/src/one/salesforce-kind.ts', "timeout: '5m'"],
])('%s has %s', (file, figure) => {
  expect(read(join('..', file))).toContain(figure);
});

it('the hash of the guide is the hash', () => {
  const guide = read('salesforce-idempotency.md');
  const cell = (name: string) => new RegExp(`^\\| ${name} \\| \`(.+)\` \\|$`, 'm').exec(guide)?.[1];
  const data: unknown = JSON.parse(cell('data') ?? '');
  const [templateId = '', outputFormat = ''] = [cell('templateId'), cell('outputFormat')];
  expect(requestHashOf({ templateId, outputFormat, data })).toBe(cell('hash'));
});

describe('in an org', () => {
  let world: World;
  afterEach(() => world.close());

  const check = async (options: Parameters<typeof startOrg>[0], calls = 0) => {
    world = await startOrg(options);
    const salesforce = world.connect();
    const store = createSalesforceStore({ salesforce, defaultKind: 'document' });
    const { run } = orgCheck({ name: 'salesforce', tenant: '', salesforce, store });
    for (let n = 0; n < calls; n += 1) await store.counts();
    const log = { info() {}, warn() {}, error() {} };
    const { status, detail } = await run(log);
    return `| ${status} | ${detail} |`;
  };

  it('says of each level what the table says', async () => {
    expect(page).toContain(await check({ apex: true }));
    await world.close();
    expect(page).toContain(await check({ apex: false }));
  });

  it('says so when the org does not answer, or the user has no permission', async () => {
    const users = [{ username: 'someone@example.com', integration: false }];
    expect(page).toContain(await check({ users }));
  });

  it('says how much of the day is used', async () => {
    // One request more is for the level.
    expect(page).toContain(await check({ dailyApiRequests: 100 }, 71));
    await world.close();
    expect(page).toContain(await check({ dailyApiRequests: 100 }, 90));
  });

  it.each(LEVELS)('asks as often as the table says, with $level', async ({ apex, level }) => {
    world = await startOrg({ apex });
    const store = world.open();
    await store.level();
    // Without Apex, the first claim of an hour also looks for the rows of old leases.
    await claim(store);
    const parent = await account(world.org);
    const batch = async () => {
      for (let n = 0; n < 20; n += 1) await waiting(world.org);
    };
    const costs: Record<string, number> = {};
    const count = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
      const before = world.org.calls.total;
      const answer = await act();
      costs[what] = world.org.calls.total - before;
      return answer;
    };
    await batch();
    const jobs = await count('claim of 20', () => claim(store));
    expect(jobs).toHaveLength(20);
    await count('heartbeat of 20', () => store.renew({ leases: jobs, leaseMs: 60_000 }));
    await count('files, links and status of 20 one-page documents', () =>
      settleAll(store, jobs, () => made([parent])),
    );
    await batch();
    const others = await claim(store);
    await count('20 that failed', () => settleAll(store, others, () => FAILED));
    await count('poll that finds nothing', () => claim(store));
    await count('count of the records', () => store.counts());
    const column = level === 'objects and Apex' ? 1 : 2;
    const text = sections.find(({ title }) => title === 'API requests')?.text ?? '';
    const said = [...text.matchAll(/^\| (.+?) \| (\d) \| (\d) \|$/gm)].map((row) => [
      row[1],
      Number(row[column + 1]),
    ]);
    expect(said).toHaveLength(6);
    expect(costs).toEqual(Object.fromEntries(said));
  });

  it.each(LEVELS)('takes over what an earlier poller has locked, with $level', async ({ apex }) => {
    world = await startOrg({ apex });
    const store = world.open();
    await store.now();
    const past = new Date(world.org.now() - 60_000);
    const left = { Status__c: 'PROCESSING', Attempts__c: 1, Epoch__c: null };
    const locked = await waiting(world.org, { ...left, LockedUntil__c: past });
    const unlocked = await waiting(world.org, left);
    const jobs = await claim(store, { alone: true });
    expect(jobs.map(({ id, attempt }) => ({ id, attempt }))).toEqual([
      { id: `salesforce-${locked}`, attempt: 3 },
    ]);
    expect(world.org.org.record(unlocked)).toMatchObject({ Status__c: 'PROCESSING' });
  });
});

function textsIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(xml|cls)$/.test(name))
    .map((name) => readFileSync(join(path, name), 'utf8'));
}
