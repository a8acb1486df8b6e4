import { generateKeyPairSync } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type SalesforceOptions, startSalesforce } from '@millrace/simulator-salesforce';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type Connected, connect, errorOf } from '../test/org.ts';
import type { SalesforceParts, Subrequest } from './types.ts';

// What an org does that nobody likes, and what becomes of it here. The simulator names its source beside each.

const OBJECTS = fileURLToPath(
  new URL('../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const certificate = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

async function openWorld(
  options: SalesforceOptions = {},
  parts: SalesforceParts = {},
): Promise<Connected & { org: Awaited<ReturnType<typeof startSalesforce>> }> {
  const org = await startSalesforce({
    objects: OBJECTS,
    apps: [{ clientId: 'signer', certificate }],
    ...options,
  });
  onTestFinished(() => org.close());
  const username = 'integration@sandbox.test';
  const auth = { type: 'jwt', clientId: 'signer', username, privateKey } as const;
  return { org, ...connect({ url: org.loginUrl }, { auth }, parts) };
}

const account = (Name: string): Subrequest => ({
  method: 'POST',
  url: 'sobjects/Account',
  referenceId: 'account',
  body: { Name },
});

describe('a gateway that answers with a page', () => {
  test.each([502, 503, 504])('%i: a read is sent again', async (status) => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'gateway', status, path: 'query$', times: 2 });
    expect(await salesforce.query('SELECT Id FROM Account')).toEqual([]);
    expect(salesforce.stats().calls).toBe(3);
  });

  test.each(['gateway', 'gateway-after'] as const)(
    '%s: of a write nobody knows, and it is not repeated',
    async (kind) => {
      const { salesforce, org } = await openWorld();
      org.faults.add({ kind, status: 503, path: 'graph$', times: 1 });
      expect(await salesforce.graphs([[account('Acme')]])).toMatchObject([
        { ok: false, failed: { code: 'http_503', kind: 'unavailable', outcome: 'unknown' } },
      ]);
      expect(org.org.records('Account')).toHaveLength(kind === 'gateway' ? 0 : 1);
      expect(salesforce.stats().calls).toBe(1);
    },
  );

  test.each([200, 302, 400, 403, 404, 407, 408, 420])(
    '%i: the documents of a call are in doubt and not refused, each alike, and no half is sent',
    async (status) => {
      const { salesforce, org } = await openWorld();
      org.faults.add({ kind: 'gateway', status, path: 'graph$', times: 1 });
      const answers = await salesforce.graphs(['A', 'B', 'C'].map((name) => [account(name)]));
      for (const answer of answers) {
        expect(answer).toMatchObject({
          ok: false,
          failed: { outcome: 'unknown', retryable: true },
        });
      }
      expect(answers).toHaveLength(3);
      expect(salesforce.stats().calls).toBe(1);
    },
  );

  test.each([200, 403, 404])('%i: a file is not missing, and a page is no file', async (status) => {
    const { salesforce, org } = await openWorld();
    const { id } = await salesforce.upload({ name: 'a.bin', size: 1, body: new Uint8Array(1) });
    const path = `sobjects/ContentVersion/${id}/VersionData`;
    org.faults.add({ kind: 'gateway', status, path: 'VersionData$', times: 2 });
    for (const call of [salesforce.download(path), salesforce.stream(path)]) {
      expect(await errorOf(call)).toMatchObject({ kind: 'unavailable', retryable: true });
    }
    expect(await salesforce.download(path)).toHaveLength(1);
  });

  test('the login has one too', async () => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'gateway', status: 502, path: 'oauth2/token$' });
    const error = await errorOf(salesforce.limits());
    expect(error).toMatchObject({ code: 'login_unavailable', outcome: 'notSent', retryable: true });
  });
});

describe('too many long requests at once', () => {
  test('the call waits a little and goes through; the others of the batch are not held back', async () => {
    const { salesforce, org, slept } = await openWorld();
    org.faults.add({ kind: 'crowded', path: 'graph$', times: 2 });
    expect(await salesforce.graphs([[account('Acme')]])).toMatchObject([{ ok: true }]);
    expect(slept).toHaveLength(2);
    expect(await salesforce.query('SELECT Id FROM Account')).toHaveLength(1);
  });

  test('if they stay, the call is refused, and nothing of it was done', async () => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'crowded', path: 'graph$' });
    expect(await salesforce.graphs([[account('Acme')]])).toMatchObject([
      { ok: false, failed: { kind: 'limit', outcome: 'refused', retryable: true } },
    ]);
    expect(org.org.records('Account')).toEqual([]);
    expect(await salesforce.query('SELECT Id FROM Account')).toEqual([]);
  });
});

describe('Apex', () => {
  test('a governor limit is refused with what Apex said, and not sent again', async () => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'apex-error' });
    const call = salesforce.apex({ method: 'GET', path: 'millrace/v1/version' });
    expect(await errorOf(call)).toMatchObject({
      code: 'APEX_ERROR',
      kind: 'overrun',
      status: 500,
      outcome: 'refused',
      message: expect.stringContaining('System.LimitException'),
    });
    expect(salesforce.stats().calls).toBe(1);
  });

  test('a query that takes too long passes by itself, and is no lock', async () => {
    const { salesforce, org } = await openWorld();
    org.faults.add({ kind: 'query-timeout' });
    const version = salesforce.apex({ method: 'GET', path: 'millrace/v1/version' });
    const slow = { code: 'QUERY_TIMEOUT', kind: 'unavailable', retryable: true };
    expect(await errorOf(version)).toMatchObject(slow);
    expect(await errorOf(salesforce.query('SELECT Id FROM Account'))).toMatchObject(slow);
  });
});

describe('rows and links', () => {
  const linked = (LinkedEntityId: string): Subrequest[] => [
    {
      method: 'POST',
      url: 'sobjects/ContentVersion',
      referenceId: 'file',
      body: { PathOnClient: 'a.pdf', VersionData: 'JVBERg==' },
    },
    { method: 'GET', url: 'sobjects/ContentVersion/@{file.id}', referenceId: 'version' },
    {
      method: 'POST',
      url: 'sobjects/ContentDocumentLink',
      referenceId: 'link',
      body: { ContentDocumentId: '@{version.ContentDocumentId}', LinkedEntityId },
    },
  ];

  test('a link locks the record that it leads to: another waits, and then goes through', async () => {
    const { salesforce, org } = await openWorld();
    const parent = await org.org.insert('Account', { Name: 'Acme' });
    const hold = org.faults.add({ kind: 'hold', path: 'graph$', times: 1 });
    const first = salesforce.graphs([linked(parent)]);
    await until(() => org.faults.list().some(({ struck }) => struck === 1));
    const change = salesforce.request({
      method: 'PATCH',
      path: `sobjects/Account/${parent}`,
      body: { Name: 'Changed' },
    });
    await until(() => org.org.waiting === 1);
    org.faults.remove(hold.id);
    expect(await first).toMatchObject([{ ok: true }]);
    await change;
    expect(org.org.record(parent)).toMatchObject({ Name: 'Changed' });
  });

  test('a file is no parent of a file', async () => {
    const { salesforce, org } = await openWorld();
    const { id } = await salesforce.upload({ name: 'a.bin', size: 1, body: new Uint8Array(1) });
    expect(id).toMatch(/^068/);
    expect(await salesforce.graphs([linked(id)])).toMatchObject([
      { ok: false, failed: { kind: 'data', referenceId: 'link', retryable: false } },
    ]);
    expect(org.org.files()).toHaveLength(1);
  });
});

describe('the wire', () => {
  test('answers come packed to who takes them so, and are read', async () => {
    const { salesforce, org } = await openWorld();
    const rows = Array.from({ length: 200 }, (_, n) => ({ Name: `Mill ${n}` }));
    await salesforce.collections.create('Account', rows);
    expect(await salesforce.query('SELECT Id, Name FROM Account')).toHaveLength(200);
    const plain = await fetch(`${org.origin}/services/data`, {
      headers: { 'accept-encoding': 'identity' },
    });
    const packed = await fetch(`${org.origin}/services/data`);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(await packed.json()).toEqual(await plain.json());
  });

  test('an assertion that is valid for longer than 5 minutes is refused; the next is by the org’s clock', async () => {
    const ahead = 600_000;
    const { salesforce } = await openWorld({}, { now: () => Date.now() + ahead });
    expect(await errorOf(salesforce.limits())).toMatchObject({
      code: 'token_refused',
      outcome: 'notSent',
      message: expect.stringContaining('5 minutes'),
    });
    expect(await salesforce.limits()).toHaveProperty('DailyApiRequests');
  });
});

/** Looks after each turn of the event loop, and not for ever. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100_000; turns += 1) {
    if (isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('It never came to be so.');
}
