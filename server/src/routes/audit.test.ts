import { type AuditEntry, type Role, contracts } from '@millrace/api';
import { defineJob, done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness } from '../../test/harness.ts';
import type { Caller } from '../identity/caller.ts';

const wait = defineJob({
  kind: 'wait',
  input: z.unknown(),
  public: true,
  run: async () => done(),
});

/** Called by role and tenants: "operator acme,globex". */
function callerOf(words: string): Caller {
  const [role = '', tenants = ''] = words.split(' ');
  return {
    name: `${role}@${tenants}`,
    subject: words,
    roles: [role as Role],
    tenants: tenants.split(','),
    claims: {},
    expiresAt: null,
  };
}

let harness: Harness;
beforeEach(() => {
  const authenticate = (words = '') => Promise.resolve(callerOf(words));
  harness = createHarness({ kinds: [wait], workerId: 'replica-7', parts: { authenticate } });
});
afterEach(() => harness.close());

async function as(who: string, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) {
  const headers = { authorization: who };
  const answer = await harness.app.inject({ method, url, headers, ...(payload && { payload }) });
  return { status: answer.statusCode, text: answer.body };
}

async function page(who: string, query: string): Promise<{ next: string | null }> {
  return JSON.parse((await as(who, 'GET', `/audit?${query}`)).text) as { next: string | null };
}

async function read(who: string, query = ''): Promise<AuditEntry[]> {
  const { text } = await as(who, 'GET', `/audit?${query}`);
  return contracts.listAudit.response.parse(JSON.parse(text)).entries;
}

const enqueue = (tenant: string) =>
  as(`operator ${tenant}`, 'POST', '/jobs', { kind: 'wait', delay: '1h' });

describe('an entry about several tenants', () => {
  const both = 'operator acme,globex';
  const asked = { kind: 'wait', state: 'QUEUED', correlationId: 'acme-request', key: 'acme-key' };

  test('names none but the reader’s own', async () => {
    for (const tenant of ['acme', 'globex']) await enqueue(tenant);
    await as(both, 'POST', '/jobs/cancel', { kind: 'wait', createdBefore: '2100-01-01T00:00:00Z' });
    await as(both, 'POST', '/jobs/cancel', asked);
    const [second, first] = await read('operator globex', 'action=cancelJobs');
    expect(first).toMatchObject({
      tenants: ['globex'],
      allTenants: false,
      filter: { kind: 'wait', createdBefore: '2100-01-01T00:00:00Z' },
      count: null,
    });
    expect(second).toMatchObject({ filter: { kind: 'wait', state: 'QUEUED' } });
    // Who has both reads all of it.
    expect(await read(both, 'action=cancelJobs')).toMatchObject([
      { tenants: ['acme', 'globex'], filter: asked, count: 0 },
      { tenants: ['acme', 'globex'], count: 2 },
    ]);
  });
});

describe('what an admin does', () => {
  const admin = 'admin hooli';

  test('to all tenants is seen by the operators of each, without what names another', async () => {
    await enqueue('acme');
    const body = { kind: 'wait', correlationId: 'acme-request' };
    await as(admin, 'POST', '/jobs/cancel', body);
    for (const reader of ['operator acme', 'operator globex'])
      expect(await read(reader)).toMatchObject([
        { action: 'cancelJobs', tenants: null, allTenants: true, filter: { kind: 'wait' } },
      ]);
    expect(await read(admin)).toMatchObject([{ allTenants: true, filter: body, count: 0 }]);
  });

  test('to one tenant by a filter is seen there alone', async () => {
    await as(admin, 'POST', '/jobs/cancel', { kind: 'wait', tenant: 'acme' });
    expect(await read('operator acme')).toMatchObject([
      { tenants: ['acme'], allTenants: false, filter: { kind: 'wait', tenant: 'acme' }, count: 0 },
    ]);
    expect(await read('operator globex')).toEqual([]);
  });

  test('to the service itself is seen by all', async () => {
    await as(admin, 'POST', '/kinds/wait/pause');
    await as(admin, 'POST', '/worker/stop');
    expect(await read('operator globex')).toMatchObject([
      { action: 'stopWorker', target: 'replica-7', allTenants: true },
      { action: 'pauseKind', target: 'wait', allTenants: true },
    ]);
  });

  test('to somebody who is to be forgotten names nobody, not even by a hash that can be tried', async () => {
    await as(admin, 'DELETE', '/subjects/max%40example.com');
    const [entry] = (await read(admin, 'action=eraseSubject')) as {
      action: string;
      target: string;
    }[];
    expect(entry).toMatchObject({ action: 'eraseSubject', target: expect.any(String) as unknown });
    expect(await read('operator globex', 'action=eraseSubject')).toMatchObject([{ target: null }]);
    const tried = `target=${encodeURIComponent(entry?.target ?? '')}`;
    expect(await read('operator globex', tried)).toEqual([]);
    expect(await read(admin, tried)).toHaveLength(1);
    await as(admin, 'DELETE', '/subjects/max%40example.com');
    expect((await page('operator globex', `limit=1&${tried}`)).next).toBeNull();
    expect((await page(admin, `limit=1&${tried}`)).next).not.toBeNull();
  });

  test('to what is not there is about nobody', async () => {
    expect((await as(admin, 'POST', '/jobs/mem-999/cancel')).status).toBe(404);
    expect(await read('operator globex')).toEqual([]);
    expect(await read(admin)).toMatchObject([{ tenants: null, allTenants: false }]);
  });
});

test('a stranger who names a tenant is in the log of their own, and not in that of the tenant', async () => {
  const asked = { tenant: 'acme', key: 'words for acme' };
  for (const url of ['/jobs/cancel', '/jobs/retry'])
    expect((await as('member bolt', 'POST', url, asked)).status).toBe(200);
  expect(await read('operator acme')).toEqual([]);
  expect(await read('operator bolt')).toMatchObject([
    { action: 'retryJobs', actor: 'member@bolt', tenants: ['bolt'], filter: asked, count: 0 },
    { action: 'cancelJobs', actor: 'member@bolt', tenants: ['bolt'], filter: asked, count: 0 },
  ]);
});

test('that an admin reads the log of others is in it', async () => {
  await as('operator acme', 'POST', '/jobs/cancel', { kind: 'wait' });
  await read('operator acme');
  await read('admin hooli', 'actor=operator%40acme');
  for (const reader of ['operator acme', 'operator globex'])
    expect(await read(reader, 'action=listAudit')).toMatchObject([
      { actor: 'admin@hooli', allTenants: true, filter: { limit: expect.anything() as unknown } },
    ]);
  expect(JSON.stringify(await read('operator globex'))).not.toContain('acme');
});

test('a bulk action whose end was never written is seen by all whom it could be about', async () => {
  await harness.close();
  const authenticate = (words = '') => Promise.resolve(callerOf(words));
  harness = createHarness({
    parts: { authenticate },
    audit: (log) => ({ ...log, end: () => Promise.resolve() }),
  });
  await as('admin hooli', 'POST', '/jobs/cancel', { all: true });
  await as('operator acme,globex', 'POST', '/jobs/cancel', { all: true });
  expect(await read('operator globex')).toMatchObject([
    { outcome: 'started', tenants: ['globex'] },
    { outcome: 'started', allTenants: true },
  ]);
});
