import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@millrace/api';
import { type Salesforce, startSalesforce } from '@millrace/simulator-salesforce';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docx, p } from '../../../docx/test/builder.ts';
import { need } from '../../../scripts/need.mjs';
import { refusal } from '../../test/harness.ts';
import { type TestServer, startServer } from '../../test/server.ts';

/** The compiled process, the real LibreOffice, and two orgs: one with the package's Apex, one with its objects only. */

await need('office');

const OBJECTS = fileURLToPath(
  new URL('../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);
const APP = { clientId: 'millrace', secret: 'a-secret-for-tests' };
const RUNNING: readonly unknown[] = ['QUEUED', 'PROCESSING'];
const TEMPLATE = docx(p('Dear {{Account.Name}}'));

let server: TestServer;
let client: Client;
let baseUrl: string;
let apex: Salesforce;
let objects: Salesforce;
let templateId: string;
let account: string;

beforeAll(async () => {
  apex = await startSalesforce({ objects: OBJECTS, apps: [APP] });
  objects = await startSalesforce({ objects: OBJECTS, apps: [APP], apex: false });
  templateId = await addTemplate(apex);
  account = await apex.org.insert('Account', { Name: 'Acme' });
  server = await startServer({
    POLLER_INTERVAL_MS: '100',
    POLLER_IDLE_INTERVAL_MS: '100',
    SALESFORCE_LOGIN_URL: apex.loginUrl,
    SALESFORCE_CLIENT_ID: APP.clientId,
    SALESFORCE_CLIENT_SECRET: APP.secret,
    MILLRACE_POOLS: JSON.stringify([
      { name: 'acme', kinds: ['document.acme'], concurrency: 2, minPriority: 1 },
    ]),
    SALESFORCE_ORGS: JSON.stringify([
      {
        name: 'acme',
        loginUrl: objects.loginUrl,
        clientId: APP.clientId,
        clientSecret: APP.secret,
      },
    ]),
  });
  ({ baseUrl, client } = server);
}, 180_000);
afterAll(async () => {
  await server.close();
  await Promise.all([apex.close(), objects.close()]);
}, 60_000);

async function addTemplate(salesforce: Salesforce): Promise<string> {
  const version = await addFile(salesforce);
  await salesforce.org.insert('Docgen_Template__c', {
    Name: 'Letter',
    ContentVersionId__c: version,
  });
  return version;
}

/** A file that the user of the service sees, and that is no template. */
function addFile({ org }: Salesforce): Promise<string> {
  return org.insert('ContentVersion', {
    Title: 'Letter',
    PathOnClient: 'letter.docx',
    VersionData: TEMPLATE.toString('base64'),
  });
}

function envelope(changes: Record<string, unknown> = {}) {
  return {
    templateId,
    outputFileName: 'Letter to Acme',
    data: { Id: account, Account: { Name: 'Acme' } },
    parents: { AccountId: account, CaseId: null },
    ...changes,
  };
}

function enqueue(request: object, fields: object = {}): Promise<string> {
  return apex.org.insert('Generated_Document__c', {
    Status__c: 'QUEUED',
    RequestJSON__c: JSON.stringify(request),
    ...fields,
  });
}

/** Looks again with each event of a job: the first says that the stream is live, and a record is written before its job ends. */
async function ended({ org }: Salesforce, id: string) {
  for await (const _ of client.events({ query: { topics: 'job' } })) {
    const record = org.record(id);
    if (record !== null && !RUNNING.includes(record['Status__c'])) return record;
  }
  throw new Error(`The events end before ${id}: ${JSON.stringify(org.record(id))}`);
}

describe('a record that waits', () => {
  test('becomes a PDF that hangs at its parents', async () => {
    const id = await enqueue(envelope({ options: { storeMergedDocx: true } }));
    const record = await ended(apex, id);
    expect(record).toMatchObject({ Status__c: 'SUCCEEDED', Error__c: null, LeaseToken__c: null });
    const files = apex.org.files().filter(({ title }) => title === 'Letter to Acme');
    const output = files.find(({ versionId }) => versionId === record['OutputFileId__c']);
    const merged = files.find(({ versionId }) => versionId === record['MergedDocxFileId__c']);
    expect(output).toMatchObject({ extension: 'pdf', parents: [account] });
    expect(merged).toMatchObject({ extension: 'docx', parents: [account] });
    expect(
      apex.org
        .body(output?.versionId ?? '')
        ?.subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
  });

  test('is a job like any other: shown, listed and counted', async () => {
    const id = await enqueue(envelope());
    await ended(apex, id);
    const job = await client.getJob({ params: { id: `salesforce-${id}` } });
    expect(job).toMatchObject({ kind: 'document.salesforce', state: 'SUCCEEDED', attempt: 1 });
    const { jobs } = await client.listJobs({ query: { limit: 100 } });
    expect(jobs.map((each) => each.id)).toContain(`salesforce-${id}`);
    const ofKind = await client.listJobs({ query: { kind: 'document.salesforce', limit: 1 } });
    expect(ofKind.jobs).toHaveLength(1);
  });

  test('in an org without Apex is made as well', async () => {
    const own = await addTemplate(objects);
    const fields = {
      Status__c: 'QUEUED',
      RequestJSON__c: JSON.stringify(envelope({ templateId: own, parents: null })),
    };
    const unimportant = await objects.org.insert('Generated_Document__c', fields);
    const id = await objects.org.insert('Generated_Document__c', { ...fields, Priority__c: 1 });
    expect(await ended(objects, id)).toMatchObject({ Status__c: 'SUCCEEDED' });
    // Its pool wants a priority.
    expect(objects.org.record(unimportant)).toMatchObject({ Status__c: 'QUEUED' });
    expect(await client.getJob({ params: { id: `acme-${id}` } })).toMatchObject({
      kind: 'document.acme',
    });
  });

  test.each([
    ['template_not_found', () => envelope({ templateId: '068Wz00000zzzzzIAA' })],
    ['validation_error', () => envelope({ outputFormat: 'ODT' })],
    ['validation_error', () => ({ hello: 'world' })],
  ])('fails for good with %s', async (code, request) => {
    const record = await ended(apex, await enqueue(request()));
    expect(record).toMatchObject({ Status__c: 'FAILED', ErrorCode__c: code, Attempts__c: 1 });
    expect(record['Error__c']).toMatch(/\w+ \w+/);
  });
});

describe('POST /generate for a record', () => {
  const lease = () => ({
    Status__c: 'PROCESSING',
    Epoch__c: 1,
    LeaseToken__c: `token-${Math.random()}`,
    LockedUntil__c: new Date(apex.now() + 120_000),
  });

  /** The header that shows the lease which Apex gave out with the record. */
  function shown(id: string) {
    const token = apex.org.record(id)?.['LeaseToken__c'];
    return { headers: { 'millrace-lease': typeof token === 'string' ? token : '' } };
  }

  /** The audit entries of requests for documents about a record or a file. */
  async function auditOf(target: string) {
    return (await client.listAudit({ query: { action: 'generate', target } })).entries;
  }

  test('answers with the file, and the record has it too', async () => {
    const id = await enqueue(envelope(), lease());
    const answer = await client.generate(
      { body: envelope({ generatedDocumentId: id }) },
      shown(id),
    );
    expect(answer.file.name).toBe('Letter to Acme.pdf');
    const record = apex.org.record(id);
    expect(record).toMatchObject({ Status__c: 'SUCCEEDED', LeaseToken__c: null });
    const file = apex.org.files().find((each) => each.versionId === record?.['OutputFileId__c']);
    expect(file).toMatchObject({ parents: [account], size: answer.file.size });
  });

  test('that cannot be made says so at the record', async () => {
    const broken = envelope({
      data: { Account: { Name: 'Acme' } },
      templateId: '068Wz00000zzzzzIAA',
    });
    const id = await enqueue(broken, lease());
    const asked = client.generate({ body: { ...broken, generatedDocumentId: id } }, shown(id));
    await refusal(asked, 'template_not_found');
    expect(apex.org.record(id)).toMatchObject({
      Status__c: 'FAILED',
      ErrorCode__c: 'template_not_found',
    });
  });

  test('is refused when the record does not wait', async () => {
    const id = await enqueue(envelope());
    await ended(apex, id);
    const files = apex.org.files().length;
    await refusal(
      client.generate({ body: envelope({ generatedDocumentId: id }) }, shown(id)),
      'lease_not_held',
    );
    expect(apex.org.files()).toHaveLength(files);
    await refusal(
      client.generate({ body: envelope({ generatedDocumentId: 'x' }) }, shown(id)),
      'validation_error',
    );
  });

  /** Refused, written to the audit log, and nothing of it in the org. */
  async function expectRefused(
    id: string,
    code: 'lease_not_held' | 'other_request',
    { body = {}, headers = {} }: { body?: object; headers?: Record<string, string> },
  ): Promise<void> {
    const files = apex.org.files().length;
    const before = apex.org.record(id);
    const asked = envelope({ generatedDocumentId: id, ...body });
    await refusal(client.generate({ body: asked }, { headers }), code);
    expect(apex.org.files()).toHaveLength(files);
    expect(apex.org.record(id)).toEqual(before);
    expect(await auditOf(id)).toMatchObject([
      { actor: 'development', outcome: 'refused', filter: { errorCode: code } },
    ]);
  }

  test.each([
    ['shows no lease', {}],
    ['shows another lease', { 'millrace-lease': 'some-other-lease' }],
    ['shows an empty lease', { 'millrace-lease': '' }],
  ])('of somebody who %s is refused, audited, and settles nothing', async (_, headers) => {
    const id = await enqueue(envelope(), lease());
    await expectRefused(id, 'lease_not_held', { headers });
  });

  test('settles no record that a worker holds, whose lease can be guessed', async () => {
    const id = await enqueue(envelope(), lease());
    await apex.org.update(id, { LeaseToken__c: `${id}:1`, Worker__c: 'worker-1' });
    await expectRefused(id, 'lease_not_held', { headers: { 'millrace-lease': `${id}:1` } });
  });

  test('settles no record that names somebody else', async () => {
    const id = await enqueue(envelope(), { ...lease(), Submitter__c: 'ada@example.com' });
    await expectRefused(id, 'lease_not_held', shown(id));
  });

  test.each([
    ['data', { data: { Account: { Name: 'Forged' } } }],
    ['visibility', { options: { visibility: 'AllUsers' } }],
  ])('with other %s than the record has is refused and audited', async (_, body) => {
    const id = await enqueue(envelope(), lease());
    await expectRefused(id, 'other_request', { body, ...shown(id) });
  });

  test('with another account as its parent is refused and audited', async () => {
    const AccountId = await apex.org.insert('Account', { Name: 'Globex' });
    const id = await enqueue(envelope(), lease());
    await expectRefused(id, 'other_request', { body: { parents: { AccountId } }, ...shown(id) });
  });

  test('makes a template of no file that the org’s templates do not name', async () => {
    const file = await addFile(apex);
    await refusal(client.generate({ body: envelope({ templateId: file }) }), 'template_not_found');
    expect(await auditOf(file)).toMatchObject([
      { outcome: 'refused', filter: { errorCode: 'template_not_found' } },
    ]);
    const record = await ended(apex, await enqueue(envelope({ templateId: file })));
    expect(record).toMatchObject({ Status__c: 'FAILED', ErrorCode__c: 'template_not_found' });
  });

  test('reads the lease where the package’s Apex sends it', () => {
    const callout = new URL('../classes/DocgenCallout.cls', `file://${OBJECTS}/`);
    expect(readFileSync(callout, 'utf8')).toContain(
      "request.setHeader('Millrace-Lease', row.LeaseToken__c)",
    );
  });

  test('takes a template of the org without any record', async () => {
    const { file } = await client.generate({ body: envelope() });
    expect(file).toMatchObject({ name: 'Letter to Acme.pdf', templateId });
  });
});

describe('the service', () => {
  test('says in /readyz what each org has', async () => {
    const { checks } = await client.readyz();
    expect(checks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'salesforce:salesforce', detail: 'Objects and Apex.' }),
        expect.objectContaining({ name: 'salesforce:acme', detail: 'Objects only.' }),
      ]),
    );
  });

  test('claims no more of an org than its office can convert, unless a pool says otherwise', async () => {
    const { pools } = await client.workerStats();
    expect(pools).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'document.salesforce', concurrency: 1, minPriority: null }),
        expect.objectContaining({ name: 'acme', concurrency: 2, minPriority: 1 }),
      ]),
    );
  });

  test('counts what it asks of an org', async () => {
    const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/salesforce_api_calls_total\{[^}]*org="salesforce"[^}]*\} \d+/);
    expect(metrics).toMatch(/salesforce_api_usage_ratio\{[^}]*org="salesforce"[^}]*\} 0\.\d+/);
    expect(metrics).toMatch(/salesforce_calls_per_document\{[^}]*org="salesforce"[^}]*\} [\d.]+/);
  });

  test('leaves a paused kind alone', async () => {
    await client.pauseKind({ params: { kind: 'document.salesforce' } });
    // A claim may be under way; it is over when the other org has made a document, and so is the next.
    await ended(objects, await objectsRecord());
    const id = await enqueue(envelope());
    await ended(objects, await objectsRecord());
    expect(apex.org.record(id)).toMatchObject({ Status__c: 'QUEUED' });
    await client.resumeKind({ params: { kind: 'document.salesforce' } });
    expect(await ended(apex, id)).toMatchObject({ Status__c: 'SUCCEEDED' });
  });

  async function objectsRecord(): Promise<string> {
    const own = await addTemplate(objects);
    return objects.org.insert('Generated_Document__c', {
      Status__c: 'QUEUED',
      RequestJSON__c: JSON.stringify(envelope({ templateId: own, parents: null })),
      Priority__c: 1,
    });
  }

  test('cancels and retries records by hand', async () => {
    await client.pauseKind({ params: { kind: 'document.salesforce' } });
    await ended(objects, await objectsRecord());
    const id = await enqueue(envelope());
    const params = { id: `salesforce-${id}` };
    await client.cancelJob({ params });
    expect(apex.org.record(id)).toMatchObject({ Status__c: 'CANCELED' });
    await client.retryJob({ params });
    expect(apex.org.record(id)).toMatchObject({ Status__c: 'QUEUED', Attempts__c: 0 });
    await client.resumeKind({ params: { kind: 'document.salesforce' } });
    expect(await ended(apex, id)).toMatchObject({ Status__c: 'SUCCEEDED' });
  });
});
