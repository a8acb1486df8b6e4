import { type Role, contracts } from '@millrace/api';
import { defineJob, done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness } from '../../test/harness.ts';
import { createAccessTrace } from '../http/access-trace.ts';
import type { Caller } from './caller.ts';
import { scopeOf } from './scope.ts';

function caller(roles: Role[], tenants: string[] | null = null, name = 'ann'): Caller {
  return { name, subject: `subject of ${name}`, roles, tenants, claims: {}, expiresAt: null };
}

const { listJobs, cancelJob, pauseKind, downloadFile } = contracts;

describe('the scope of', () => {
  const of = (who: Caller, route: Parameters<typeof scopeOf>[1], named?: string) => {
    const { tenants, tenant, owner } = scopeOf(who, route, named, createAccessTrace());
    return { tenants, tenant, owner };
  };

  test.each<[string, Caller, Parameters<typeof scopeOf>[1], object]>([
    [
      'an operator without tenants',
      caller(['operator']),
      cancelJob,
      { tenants: 'all', tenant: '', owner: null },
    ],
    [
      'an operator',
      caller(['operator'], ['b', 'a']),
      cancelJob,
      { tenants: ['b', 'a'], tenant: 'b', owner: null },
    ],
    ['an admin', caller(['admin'], ['a']), cancelJob, { tenants: 'all', tenant: 'a', owner: null }],
    [
      'an admin of no tenant',
      caller(['admin'], []),
      cancelJob,
      { tenants: 'all', tenant: '', owner: null },
    ],
    ['a viewer', caller(['viewer'], ['a']), listJobs, { tenants: ['a'], tenant: 'a', owner: null }],
    [
      'a member who looks',
      caller(['member'], ['a']),
      listJobs,
      { tenants: ['a'], tenant: 'a', owner: 'ann' },
    ],
    ['a member who acts', caller(['member'], ['a']), cancelJob, { owner: 'ann' }],
    ['a member without tenants', caller(['member']), listJobs, { tenants: 'all', owner: 'ann' }],
    [
      'a viewer and member who looks',
      caller(['viewer', 'member'], ['a']),
      listJobs,
      { owner: null },
    ],
    [
      'a viewer and member who acts',
      caller(['viewer', 'member'], ['a']),
      cancelJob,
      { owner: 'ann' },
    ],
    [
      'a viewer and member who downloads',
      caller(['viewer', 'member']),
      downloadFile,
      { owner: 'ann' },
    ],
    ['a member and operator', caller(['member', 'operator'], ['a']), cancelJob, { owner: null }],
  ])('%s', (_, who, route, expected) => {
    expect(of(who, route)).toMatchObject(expected);
  });

  test('a request that names a tenant is within it', () => {
    expect(of(caller(['operator'], ['a', 'b']), listJobs, 'b')).toMatchObject({
      tenants: ['b'],
      tenant: 'b',
    });
    expect(of(caller(['admin'], ['a']), listJobs, 'c')).toMatchObject({
      tenants: ['c'],
      tenant: 'c',
    });
    expect(() => of(caller(['operator'], ['a']), listJobs, 'c')).toThrow('"c"');
  });

  test.each<[string, Caller, Parameters<typeof scopeOf>[1], string]>([
    ['whose token names none', caller(['operator'], []), listJobs, 'tenant_missing'],
    [
      'of one tenant, for what is about all',
      caller(['operator'], ['a']),
      pauseKind,
      'role_missing',
    ],
  ])('someone %s is refused', (_, who, route, code) => {
    expect(() => of(who, route)).toThrow(expect.objectContaining({ code }));
  });
});

describe('a member', () => {
  const wait = defineJob({
    kind: 'wait',
    input: z.unknown(),
    public: true,
    run: async () => done(null),
  });
  const people: Record<string, Caller> = {
    ann: caller(['member'], null, 'ann'),
    bob: caller(['member'], null, 'bob'),
    olga: caller(['operator'], null, 'olga'),
    vera: caller(['viewer'], null, 'vera'),
  };
  let harness: Harness;
  beforeEach(() => {
    harness = createHarness({
      kinds: [wait],
      parts: {
        authenticate: async (header = '') => people[header.replace('Bearer ', '')] ?? caller([]),
      },
    });
  });
  afterEach(() => harness.close());

  async function as(name: string, method: 'GET' | 'POST', url: string, payload?: object) {
    const response = await harness.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${name}` },
      ...(payload && { payload }),
    });
    return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
  }
  async function made(name: string, more: object = {}): Promise<string> {
    const body = { kind: 'wait', data: {}, delay: '1h', ...more };
    return String((await as(name, 'POST', '/jobs', body)).body['id']);
  }
  async function listed(name: string): Promise<string[]> {
    const { jobs } = (await as(name, 'GET', '/jobs')).body as { jobs: { id: string }[] };
    return jobs.map(({ id }) => id);
  }

  test('makes jobs, sees, cancels and retries their own, and nobody else’s', async () => {
    const [mine, theirs] = [await made('ann'), await made('bob')];
    expect(await listed('ann')).toEqual([mine]);
    expect(await listed('olga')).toEqual([theirs, mine]);
    for (const route of ['', '/explain'])
      expect((await as('ann', 'GET', `/jobs/${theirs}${route}`)).status).toBe(404);
    for (const route of ['/cancel', '/retry'])
      expect((await as('ann', 'POST', `/jobs/${theirs}${route}`)).status).toBe(404);
    expect((await as('ann', 'POST', '/jobs/cancel', { all: true })).body).toEqual({
      canceled: 1,
      requested: 0,
    });
    expect((await as('bob', 'GET', `/jobs/${theirs}`)).body['state']).toBe('QUEUED');
    const other = { data: { other: true } };
    expect((await as('ann', 'POST', `/jobs/${theirs}/retry`, other)).status).toBe(404);
    expect((await as('ann', 'POST', `/jobs/${mine}/retry`, other)).status).toBe(200);
    expect((await as('ann', 'GET', `/jobs/${mine}`)).body).toMatchObject(other);
  });

  test('is told that a key is somebody else’s, without a word about their job', async () => {
    const theirs = await made('bob', { key: 'invoice-1' });
    const body = { kind: 'wait', key: 'invoice-1', delay: '1h' };
    const answer = await as('ann', 'POST', '/jobs', body);
    expect(answer).toMatchObject({ status: 409, body: { code: 'key_taken' } });
    expect(JSON.stringify(answer.body)).not.toContain(theirs);
    const several = await as('ann', 'POST', '/jobs/batch', [{ ...body, key: 'ann-1' }, body]);
    expect(several).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('other jobs of the request were made') as string },
    });
    // Their own key gives them their own job, and operators see what is there.
    expect(await as('bob', 'POST', '/jobs', body)).toMatchObject({
      status: 200,
      body: { id: theirs, created: false },
    });
    expect((await as('olga', 'POST', '/jobs', body)).body).toEqual({ id: theirs, created: false });
  });

  test('is the submitter of what they make, also where they say otherwise', async () => {
    const id = await made('ann');
    expect((await as('ann', 'GET', `/jobs/${id}`)).body['submitter']).toBe('ann');
    expect((await as('ann', 'POST', '/jobs', { kind: 'wait', submitter: 'bob' })).status).toBe(400);
  });

  test.each(['/worker/stop', '/worker/start', '/kinds/wait/pause', '/kinds/wait/resume'])(
    'may not %s',
    async (url) => expect((await as('ann', 'POST', url)).status).toBe(403),
  );

  test('viewers look at everything and act on nothing', async () => {
    const id = await made('ann');
    expect(await listed('vera')).toEqual([id]);
    expect((await as('vera', 'POST', `/jobs/${id}/cancel`)).status).toBe(403);
    expect((await as('vera', 'POST', '/jobs', { kind: 'wait' })).status).toBe(403);
  });

  test('what was kept from someone is in the log, with their address', async () => {
    const id = await made('bob');
    expect((await as('ann', 'GET', `/jobs/${id}`)).status).toBe(404);
    expect((await as('ann', 'GET', '/jobs/mem-999')).status).toBe(404);
    const denied = harness.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request denied');
    expect(denied).toMatchObject([
      { by: 'ann', route: '/jobs/:id', status: 404, address: '127.0.0.1' },
    ]);
  });
});
