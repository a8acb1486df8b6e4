import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Salesforce,
  type SalesforceOptions,
  startSalesforce,
} from '@millrace/simulator-salesforce';
import { expect, onTestFinished, test } from 'vitest';
import { type Ran, documents, run, words } from '../../test/run.ts';

const OBJECTS = fileURLToPath(
  new URL('../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);
const USER = 'integration@sandbox.test';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PRIVATE_KEY = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const CERTIFICATE = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const ALL = [
  'login',
  'apiVersion',
  'objects',
  'fields',
  'apex',
  'permissions',
  'sharing',
  'namedCredential',
  'allowance',
];

interface World {
  readonly org: Salesforce;
  readonly sample: string;
  readonly document: string;
  check(line?: string, env?: Readonly<Record<string, string>>): Promise<Ran>;
}

/** An org that has everything, with a record to look at. */
async function startOrg(options: Partial<SalesforceOptions> = {}): Promise<World> {
  const org = await startSalesforce({
    objects: OBJECTS,
    apps: [{ clientId: 'service', certificate: CERTIFICATE }],
    namedCredentials: { Docgen_Service: 'https://docgen.acme.com' },
    ...options,
  });
  onTestFinished(() => org.close());
  const sample = await org.org.insert('Account', { Name: 'Acme' });
  const document = await org.org.insert('Generated_Document__c', { Subject__c: sample });
  return {
    org,
    sample,
    document,
    check: (line = '', env = {}) =>
      run(words(`salesforce check ${line}`), 'http://127.0.0.1:1', {
        env: {
          SALESFORCE_LOGIN_URL: org.loginUrl,
          SALESFORCE_CLIENT_ID: 'service',
          SALESFORCE_USERNAME: USER,
          SALESFORCE_PRIVATE_KEY: PRIVATE_KEY,
          ...env,
        },
      }),
  };
}

function verdicts({ stdout }: Ran): Record<string, string> {
  const findings = documents(stdout) as { check: string; verdict: string }[];
  return Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]));
}

/** All is well but this. */
function allBut(lacking: Readonly<Record<string, string>>): Record<string, string> {
  return { ...Object.fromEntries(ALL.map((check) => [check, 'ok'])), ...lacking };
}

test('an org that lacks nothing: one line each, and 0', async () => {
  const { check, sample, org } = await startOrg();
  const { code, lines } = await check();
  expect(lines.map((line) => line.slice(0, 13).trim())).toEqual(ALL.map(() => 'ok'));
  expect(lines[6]).toContain(`sees and edits ${sample}`);
  expect(code).toBe(0);
  expect((await check('--quiet')).stdout).toBe('');
  expect(org.org.records('Generated_Document__c')).toHaveLength(1);
});

test('a login that the org refuses', async () => {
  const { check } = await startOrg();
  const { code, stdout } = await check('--json', { SALESFORCE_USERNAME: 'nobody@sandbox.test' });
  expect(documents(stdout)).toMatchObject([
    { check: 'login', verdict: 'missing', advice: expect.stringContaining('step 3') },
  ]);
  expect(code).toBe(1);
});

test('an org that cannot be reached', async () => {
  const { check } = await startOrg();
  const ran = await check('--json', { SALESFORCE_LOGIN_URL: 'http://127.0.0.1:9' });
  expect(verdicts(ran)).toEqual({ login: 'cannot tell' });
  expect(ran.code).toBe(5);
});

test.each([['99.0'], ['50.0']])('a version of the API that does not do: %s', async (version) => {
  const { check } = await startOrg();
  const ran = await check('--json', { SALESFORCE_API_VERSION: version });
  expect(verdicts(ran)).toMatchObject({ login: 'ok', apiVersion: 'missing' });
  expect(ran.code).toBe(1);
});

test('an object that the user cannot see', async () => {
  const { check, org } = await startOrg();
  org.faults.add({ kind: 'hidden', object: 'Generated_Document__c' });
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual(
    allBut({ objects: 'missing', fields: 'cannot tell', permissions: 'missing' }),
  );
  expect(ran.code).toBe(1);
});

test('a field that is not there is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-objects-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(dirname(OBJECTS), folder, { recursive: true });
  rmSync(join(folder, 'objects/Generated_Document__c/fields/Traceparent__c.field-meta.xml'));
  const { check } = await startOrg({ objects: join(folder, 'objects') });
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual(allBut({ fields: 'missing' }));
  expect(ran.stdout).toContain('Traceparent__c');
});

test('without Apex the objects do, and need no named credential', async () => {
  const { check } = await startOrg({ apex: false });
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual(allBut({}));
  expect(ran.stdout).toContain('objects alone');
});

test('without Apex, the rows that leases are', async () => {
  const { check, org } = await startOrg({ apex: false });
  org.faults.add({ kind: 'hidden', object: 'Docgen_Lease__c' });
  expect(verdicts(await check('--json'))).toEqual(allBut({ objects: 'missing' }));
});

test('a user without the permission of the service', async () => {
  const { check } = await startOrg({ users: [{ username: USER, integration: false }] });
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual(allBut({ apex: 'missing' }));
  expect(ran.stdout).toContain('permission set Docgen_Integration');
});

test('Apex that does not answer well', async () => {
  const { check, org } = await startOrg();
  org.faults.add({ kind: 'apex-error' });
  expect(verdicts(await check('--json'))).toMatchObject({ apex: 'cannot tell' });
});

test.each(['Generated_Document__c', 'ContentVersion', 'ContentDocumentLink'])(
  'no right to write %s',
  async (object) => {
    const { check, org } = await startOrg();
    org.faults.add({ kind: 'read-only', object });
    const ran = await check('--json');
    expect(verdicts(ran)).toEqual(allBut({ permissions: 'missing' }));
    expect(ran.stdout).toContain(object);
  },
);

test('a record that is not shared with the user: the newest document’s, or the one that is named', async () => {
  const { check, org, sample } = await startOrg();
  org.faults.add({ kind: 'hidden', record: sample });
  expect(verdicts(await check('--json'))).toEqual(allBut({ sharing: 'missing' }));
  const other = await org.org.insert('Account', { Name: 'Other' });
  expect(verdicts(await check(`--json --record ${other}`))).toEqual(allBut({}));
});

test('no document to take a record from', async () => {
  const { check, org, document } = await startOrg();
  await org.org.remove(document);
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual(allBut({ sharing: 'cannot tell' }));
  expect(ran.code).toBe(0);
});

test('no named credential', async () => {
  const { check } = await startOrg({ namedCredentials: {} });
  expect(verdicts(await check('--json'))).toEqual(allBut({ namedCredential: 'missing' }));
});

test('a named credential with the address of nobody', async () => {
  const address = 'https://docgen.example.com';
  const { check } = await startOrg({ namedCredentials: { Docgen_Service: address } });
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual(allBut({ namedCredential: 'missing' }));
  expect(ran.stdout).toContain(address);
  expect(ran.code).toBe(1);
});

test('few calls left', async () => {
  const { check } = await startOrg({ dailyApiRequests: 10 });
  expect(verdicts(await check('--json'))).toEqual(allBut({ allowance: 'missing' }));
});

test('an org that goes away in the middle', async () => {
  const { check, org } = await startOrg();
  org.faults.add({ kind: 'session-expired', path: 'describe' });
  const ran = await check('--json');
  expect(verdicts(ran)).toEqual({ login: 'ok', apiVersion: 'ok', objects: 'cannot tell' });
  expect(ran.code).toBe(5);
});

test.each([
  ['look', {}, 'Unknown: salesforce look'],
  ['check --record nonsense', {}, '--record takes the id'],
  ['check --org other', {}, 'SALESFORCE_ORGS has no "other"'],
  ['check', { SALESFORCE_CLIENT_ID: '' }, 'No org is configured'],
  ['check', { SALESFORCE_PRIVATE_KEY: '' }, 'A login needs'],
  ['check', { SALESFORCE_PRIVATE_KEY: '/no/such/key' }, 'cannot be read'],
  ['check', { SALESFORCE_PRIVATE_KEY: '-----BEGIN nonsense' }, 'privateKey'],
  ['check', { SALESFORCE_API_VERSION: 'new' }, 'apiVersion'],
  ['check', { SALESFORCE_FIELDS: '{' }, 'SALESFORCE_FIELDS is not JSON'],
])('wrong usage: %s %j', async (line, env, sentence) => {
  const ran = await run(words(`salesforce ${line}`), 'http://127.0.0.1:1', {
    env: {
      SALESFORCE_CLIENT_ID: 'service',
      SALESFORCE_USERNAME: USER,
      SALESFORCE_PRIVATE_KEY: PRIVATE_KEY,
      ...env,
    },
  });
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(sentence);
});
