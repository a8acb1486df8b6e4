import { type Contract, type RouteName, contracts } from '@millrace/api';
import { JobFailure, StoreUnavailable, defineJob } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import type { Caller } from '../identity/caller.ts';

const broken = defineJob({
  kind: 'broken',
  input: z.unknown(),
  public: true,
  run: () => Promise.reject(new JobFailure('no', 'No.', { retryable: false })),
});
const ada: Caller = {
  name: 'ada@example.com',
  subject: 's',
  roles: ['admin'],
  tenants: null,
  claims: {},
  expiresAt: null,
};

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({
    kinds: [broken],
    workerId: 'replica-7',
    ...options,
    parts: { authenticate: () => Promise.resolve(ada) },
  });
  return harness;
}
afterEach(() => harness.close());

const entries = async () => (await harness.client.listAudit()).entries;

describe('the audit log', () => {
  test('has who did what, to which jobs, how many, and when', async () => {
    const { client } = start();
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await client.enqueue({ body: { kind: 'broken' } })).id),
    );
    const before = Date.now();
    await client.cancelJobs({ body: { kind: 'broken', state: 'QUEUED' } });
    await client.retryJobs({ body: { kind: 'broken' } });
    await client.cancelJob(
      { params: { id: ids[0] ?? '' } },
      { headers: { 'x-correlation-id': 'ticket-9' } },
    );
    await client.pauseKind({ params: { kind: 'broken' } });
    await client.stopWorker().catch(() => {});
    const [stop, pause, one, retry, cancel] = await entries();
    expect(cancel).toMatchObject({
      actor: 'ada@example.com',
      subject: 's',
      action: 'cancelJobs',
      target: null,
      filter: { kind: 'broken', state: 'QUEUED' },
      count: 3,
      outcome: 'done',
    });
    expect(Date.parse(cancel?.at ?? '')).toBeGreaterThanOrEqual(before - 1);
    expect(retry).toMatchObject({ action: 'retryJobs', count: 3, filter: { kind: 'broken' } });
    expect(one).toMatchObject({
      action: 'cancelJob',
      target: ids[0],
      count: 1,
      correlationId: 'ticket-9',
    });
    expect(pause).toMatchObject({ action: 'pauseKind', target: 'broken', count: null });
    // The worker of this test was never started.
    expect(stop).toMatchObject({ action: 'stopWorker', target: 'replica-7', outcome: 'refused' });
  });

  test('has what was refused, too', async () => {
    const { client } = start();
    await refusal(client.retryJob({ params: { id: 'mem-9' } }), 'job_not_found');
    expect(await entries()).toMatchObject([
      { action: 'retryJob', target: 'mem-9', outcome: 'refused', count: null },
    ]);
  });

  test('does not keep the name of whom it was to forget', async () => {
    const { client } = start();
    await client.eraseSubject({ params: { subject: 'max@example.com' } });
    const [erased] = await entries();
    expect(erased).toMatchObject({ action: 'eraseSubject', count: 0 });
    expect(erased?.target).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.stringify(erased)).not.toContain('max@example.com');
  });

  test('is written first: what cannot be written down is not done', async () => {
    const { client, store } = start({
      audit: (log) => ({ ...log, begin: () => Promise.reject(new StoreUnavailable('away')) }),
    });
    const { id } = await client.enqueue({ body: { kind: 'broken' } });
    await refusal(client.cancelJob({ params: { id } }), 'store_unavailable');
    expect((await store.get({ id }))?.state).toBe('QUEUED');
  });

  test('that cannot be finished says so in the log, and the action stands', async () => {
    const { client, lines } = start({
      audit: (log) => ({ ...log, end: () => Promise.reject(new StoreUnavailable('away')) }),
    });
    await client.pauseKind({ params: { kind: 'broken' } });
    expect(await entries()).toMatchObject([{ action: 'pauseKind', outcome: 'started' }]);
    expect(lines.join('')).toContain('could not be written to the audit log');
  });

  test('is listed by filter and page by page', async () => {
    const { client } = start();
    for (const _ of [1, 2, 3]) {
      await client.pauseKind({ params: { kind: 'broken' } });
      await client.resumeKind({ params: { kind: 'broken' } });
    }
    const first = await client.listAudit({ query: { action: 'pauseKind', limit: 2 } });
    expect(first.entries).toHaveLength(2);
    const rest = await client.listAudit({
      query: { action: 'pauseKind', limit: 2, cursor: first.next ?? '' },
    });
    expect(rest).toMatchObject({ entries: [{ action: 'pauseKind' }], next: null });
    expect((await client.listAudit({ query: { actor: 'bob' } })).entries).toEqual([]);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await client.listAudit({ query: { after: later } })).entries).toEqual([]);
  });
});

test('every route that changes something or gives bytes or rows is audited, except for making jobs, documents and runs', () => {
  const changing = (Object.keys(contracts) as RouteName[]).filter((name) => {
    const { method, media }: Contract = contracts[name];
    return method !== 'GET' || media === 'application/octet-stream' || name === 'getRunResults';
  });
  const free = [
    'enqueue',
    'enqueueBatch',
    'generate',
    'createBatch',
    'previewTemplate',
    'lintTemplate',
    'readRows',
    'checkRows',
    'startRun',
    'startReport',
    'startPipeline',
    'validateSql',
    'formatSql',
  ];
  const audited = (Object.keys(contracts) as RouteName[]).filter(
    (name) => 'audit' in contracts[name],
  );
  expect(audited.toSorted()).toEqual(changing.filter((name) => !free.includes(name)).toSorted());
});

test('what the audit log keeps is named as the route names it', () => {
  for (const contract of Object.values(contracts) as Contract[]) {
    const { audit = {}, example, path } = contract;
    if (audit.target !== undefined) expect(path).toContain(`/:${audit.target}`);
    for (const member of audit.count === 1 ? [] : (audit.count ?? []))
      expect(example.response, path).toHaveProperty(member);
  }
});
