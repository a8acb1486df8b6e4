import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type SalesforceOptions, startSalesforce } from '@millrace/simulator-salesforce';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type Connected, connect, errorOf } from '../test/org.ts';
import type { Subrequest } from './types.ts';

// The connector against an org that keeps Salesforce's rules, which somebody else wrote down.

const OBJECTS = fileURLToPath(
  new URL('../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);
const USER = 'integration@sandbox.test';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const certificate = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

async function openWorld(
  options: SalesforceOptions = {},
): Promise<Connected & { org: Awaited<ReturnType<typeof startSalesforce>> }> {
  const org = await startSalesforce({
    objects: OBJECTS,
    apps: [{ clientId: 'signer', certificate }],
    ...options,
  });
  onTestFinished(() => org.close());
  const auth = { type: 'jwt', clientId: 'signer', username: USER, privateKey } as const;
  return { org, ...connect({ url: org.loginUrl }, { auth }) };
}

const account = (Name: string, referenceId = 'account'): Subrequest => ({
  method: 'POST',
  url: 'sobjects/Account',
  referenceId,
  body: { Name },
});

describe('records', () => {
  test('are created, found page by page, changed and removed', async () => {
    const { salesforce, org } = await openWorld();
    const { collections } = salesforce;
    const rows = Array.from({ length: 450 }, (_, n) => ({ Name: `Mill ${n}` }));
    const made = await collections.create('Account', rows);
    expect(made.every(({ success }) => success)).toBe(true);
    const sizes: number[] = [];
    for await (const page of salesforce.pages('SELECT Id FROM Account', { pageSize: 200 })) {
      sizes.push(page.length);
    }
    expect(sizes).toEqual([200, 200, 50]);

    const ids = made.map(({ id }) => id ?? '');
    await collections.update('Account', [{ Id: ids[0] ?? '', Name: "O'Hara" }]);
    const found = await salesforce.query<{ Name: string }>(
      String.raw`SELECT Name FROM Account WHERE Name = 'O\'Hara'`,
    );
    expect(found).toMatchObject([{ Name: "O'Hara" }]);
    const gone = await collections.remove(ids);
    expect(gone.every(({ success }) => success)).toBe(true);
    expect(org.org.records('Account')).toHaveLength(0);
  });

  test('a query of many ids goes through, however long', async () => {
    const { salesforce } = await openWorld();
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ Name: `Mill ${n}` }));
    const ids = (await salesforce.collections.create('Account', rows)).map(({ id }) => id ?? '');
    const soql = `SELECT Id FROM Account WHERE Id IN (${ids.map((id) => `'${id}'`).join(',')})`;
    expect(await salesforce.query(soql)).toHaveLength(1_000);
    expect(salesforce.stats().byRoute).toEqual({ 'composite/sobjects': 5, composite: 1 });
  });

  test('a unique key is upserted once, and taken once', async () => {
    const { salesforce } = await openWorld();
    const { collections } = salesforce;
    const row = { Key__c: 'a:1' };
    const upsert = () => collections.upsert('Docgen_Lease__c', 'Key__c', [row]);
    expect(await upsert()).toMatchObject([{ success: true, created: true }]);
    expect(await upsert()).toMatchObject([{ success: true, created: false }]);
    expect(await collections.create('Docgen_Lease__c', [row])).toMatchObject([
      { id: null, success: false, errors: [{ statusCode: 'DUPLICATE_VALUE' }] },
    ]);
    const single = salesforce.request({
      method: 'POST',
      path: 'sobjects/Docgen_Lease__c',
      body: row,
    });
    expect(await errorOf(single)).toMatchObject({ kind: 'duplicate', outcome: 'refused' });
  });

  test('what is wrong has its kind', async () => {
    const { salesforce } = await openWorld();
    expect((await errorOf(salesforce.query('SELECT Id FORM Account'))).code).toBe(
      'MALFORMED_QUERY',
    );
    const missing = salesforce.request({
      method: 'GET',
      path: 'sobjects/Account/001000000000001AAA',
    });
    expect(await errorOf(missing)).toMatchObject({ kind: 'notFound', status: 404 });
    expect(
      (await salesforce.apex<{ version: string }>({ method: 'GET', path: 'millrace/v1/version' }))
        .version,
    ).toBe('1');
  });
});

describe('composites and graphs', () => {
  test('a file, its link and its record are one call, or nothing', async () => {
    const { salesforce, org } = await openWorld();
    const parent = await org.org.insert('Account', { Name: 'Acme' });
    const filed = (linkTo: string): Subrequest[] => [
      {
        method: 'POST',
        url: 'sobjects/ContentVersion',
        referenceId: 'file',
        body: { PathOnClient: 'a.pdf', VersionData: Buffer.from('%PDF').toString('base64') },
      },
      { method: 'GET', url: 'sobjects/ContentVersion/@{file.id}', referenceId: 'version' },
      {
        method: 'POST',
        url: 'sobjects/ContentDocumentLink',
        referenceId: 'link',
        body: {
          ContentDocumentId: '@{version.ContentDocumentId}',
          LinkedEntityId: linkTo,
          ShareType: 'V',
          Visibility: 'AllUsers',
        },
      },
    ];
    const answers = await salesforce.graphs([
      filed(parent),
      filed('001000000000009AAA'),
      filed(parent),
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(answers[1]).toMatchObject({ failed: { referenceId: 'link', outcome: 'refused' } });
    expect(org.org.files().map(({ parents }) => parents)).toEqual([[parent], [parent]]);
    expect(salesforce.stats()).toMatchObject({ calls: 1 });

    const whole = await salesforce.composite(filed(parent), { allOrNone: true });
    expect(whole.map(({ httpStatusCode }) => httpStatusCode)).toEqual([201, 200, 201]);
    expect(org.org.files()).toHaveLength(3);
  });

  test('a hundred graphs are two calls', async () => {
    const { salesforce, org } = await openWorld();
    const answers = await salesforce.graphs(
      Array.from({ length: 100 }, (_, n) => [account(`Mill ${n}`)]),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect([org.org.records('Account').length, salesforce.stats().calls]).toEqual([100, 2]);
  });

  test('a lost answer after the commit is in doubt, and it was done', async () => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'cut-after', path: 'composite/graph', times: 1 });
    const answers = await salesforce.graphs([[account('Acme')]]);
    expect(answers).toMatchObject([{ ok: false, failed: { outcome: 'unknown' } }]);
    expect(org.org.records('Account')).toHaveLength(1);
  });

  test('graphs that meet a lock are sent again alone', async () => {
    const { salesforce, org } = await openWorld();
    const id = await org.org.insert('Account', { Name: 'Acme' });
    org.faults.add({ kind: 'lock', record: id, times: 2 });
    const change: Subrequest = {
      method: 'PATCH',
      url: `sobjects/Account/${id}`,
      referenceId: 'change',
      body: { Name: 'Changed' },
    };
    const answers = await salesforce.graphs([[change], [account('Other')]]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
    expect(org.org.records('Account').map(({ Name }) => Name)).toEqual(['Changed', 'Other']);
    expect(salesforce.stats().calls).toBe(3);
  });
});

describe('files', () => {
  test('go up and come down as they are', async () => {
    const { salesforce, org } = await openWorld();
    const bytes = randomBytes(3 * 1024 * 1024 + 17);
    const upload = { name: 'Größe "1".bin', title: 'Größe', size: bytes.length, body: bytes };
    const { id } = await salesforce.upload(upload);
    expect(org.org.files()).toMatchObject([{ title: 'Größe', size: bytes.length }]);
    const path = `sobjects/ContentVersion/${id}/VersionData`;
    expect(bytes.equals(await salesforce.download(path))).toBe(true);
    const { body } = await salesforce.stream(path);
    const parts = (await body.toArray()) as Buffer[];
    expect(bytes.equals(Buffer.concat(parts))).toBe(true);
    const missing = 'sobjects/ContentVersion/068000000000009AAA/VersionData';
    expect((await errorOf(salesforce.download(missing))).kind).toBe('notFound');
  });

  test('find no room in a full org', async () => {
    const { salesforce, org } = await openWorld({ storageBytes: 10 });
    const upload = { name: 'a.bin', size: 100, body: new Uint8Array(100) };
    expect(await errorOf(salesforce.upload(upload))).toMatchObject({ kind: 'storage' });
    expect(org.org.files()).toHaveLength(0);
  });
});

describe('faults', () => {
  test('sessions that end under fifty calls cost one token', async () => {
    const { salesforce, org } = await openWorld();
    await salesforce.limits();
    org.expireSessions();
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        salesforce.collections.create('Account', [{ Name: `Mill ${n}` }]),
      ),
    );
    expect(made.flat().every(({ success }) => success)).toBe(true);
    expect(org.org.records('Account')).toHaveLength(50);
    expect(salesforce.stats().tokens).toBe(2);
  });

  test('reads get through 503 and broken connections; writes are reported', async () => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'unavailable', times: 1 });
    org.faults.add({ kind: 'cut-before', times: 1, path: 'query' });
    expect(await salesforce.query('SELECT Id FROM Account')).toEqual([]);
    org.faults.add({ kind: 'cut-before', times: 1, method: 'POST' });
    const lost = await errorOf(salesforce.collections.create('Account', [{ Name: 'Acme' }]));
    expect(lost.outcome).toBe('unknown');
    expect(org.org.records('Account')).toHaveLength(0);
  });

  test('the limit is seen coming, and then stops batch calls', async () => {
    const { salesforce } = await openWorld({ dailyApiRequests: 10 });
    for (let n = 0; n < 9; n++) await salesforce.query('SELECT Id FROM Account');
    expect(salesforce.budget()).toMatchObject({ used: 9, max: 10, level: 'stop' });
    await salesforce.query('SELECT Id FROM Account');
    const query = (lane: 'batch' | 'interactive') =>
      errorOf(salesforce.query('SELECT Id FROM Account', { lane }));
    expect(await query('batch')).toMatchObject({ kind: 'limit', status: 403 });
    expect(await query('batch')).toMatchObject({ kind: 'limit', outcome: 'notSent' });
    expect(await query('interactive')).toMatchObject({ kind: 'limit', status: 403 });
  });

  test('the org’s clock is known, and so is that it was set', async () => {
    const { salesforce, org } = await openWorld();
    for (const ahead of [0, 3_600_000]) {
      org.advance(ahead);
      await salesforce.limits();
      expect(Math.abs(salesforce.now() - org.now())).toBeLessThan(5_000);
    }
  });
});
