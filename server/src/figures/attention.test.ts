import type { Budget, ErrorGroup, Replica } from '@millrace/api';
import { EVERYTHING, type Count, type Scope } from '@millrace/engine';
import { expect, test } from 'vitest';
import { attentionOf } from './attention.ts';
import type { Present } from './present.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR = 3_600_000;

const queued = (kind: string, count: number, more: Partial<Count> = {}): Count => ({
  kind,
  tenant: '',
  state: 'QUEUED',
  count,
  scheduled: 0,
  ...more,
});
const replica = (id: string, more: Partial<Replica> = {}): Replica => ({
  id,
  state: 'running',
  seenAt: new Date(NOW).toISOString(),
  lastPollTime: null,
  uptimeSeconds: 1,
  inFlight: 0,
  kinds: ['a', 'b'],
  totalProcessed: 0,
  totalSucceeded: 0,
  totalFailed: 0,
  totalRetries: 0,
  version: null,
  startedAt: null,
  jobs: [],
  pools: [],
  wanted: null,
  takenOver: null,
  ...more,
});

function found(...params: Parameters<typeof all>) {
  return all(...params).map(({ id, level, title, count, action, target }) => ({
    id,
    level,
    title,
    count,
    action,
    target,
  }));
}

function all(
  present: Partial<Present>,
  more: Partial<Parameters<typeof attentionOf>[0]> = {},
  scope: Scope = EVERYTHING,
) {
  return attentionOf({
    present: {
      at: NOW,
      counts: [],
      subqueues: [],
      paused: [],
      replicas: [replica('r1')],
      pools: [],
      schedules: [],
      ...present,
    },
    scope,
    groups: [],
    budgets: [],
    from: NOW - HOUR,
    declared: [],
    ...more,
  });
}

test('nothing is wrong where nothing is', () => expect(found({})).toEqual([]));

test('a paused kind is there also while nothing waits for it, with who and why', () => {
  const paused = [{ kind: 'a', by: 'ruth', since: NOW - HOUR, reason: 'reloads' }];
  const details = (counts: Count[]) => all({ paused, counts }).map(({ detail }) => detail);
  expect(details([queued('a', 5, { scheduled: 5 })])).toEqual([
    'Nothing waits for it yet. Paused by ruth: “reloads”.',
  ]);
  expect(details([queued('a', 1)])).toEqual(['1 job waits. Paused by ruth: “reloads”.']);
  expect(found({ paused, counts: [queued('a', 5, { scheduled: 2 })] })).toEqual([
    {
      id: 'paused:a',
      level: 'paused',
      title: 'a is paused',
      count: 3,
      action: 'resume_kind',
      target: 'a',
    },
  ]);
});

test('a kind that no live replica knows, with jobs that wait', () => {
  const counts = [queued('old', 2), queued('a', 1)];
  const ids = (replicas: readonly Replica[]) => found({ counts, replicas }).map(({ id }) => id);
  expect(ids([replica('r1')])).toEqual(['unknown:old']);
  expect(ids([replica('r1', { state: 'stopped' })])).toEqual(['unknown:old', 'unknown:a']);
});

test('a silent replica', () => {
  const replicas = [replica('r1'), replica('r2', { state: 'silent', inFlight: 6 })];
  expect(found({ replicas })).toMatchObject([
    { id: 'silent:r2', level: 'failed', action: 'open_replica', target: 'r2' },
  ]);
});

test('jobs that are due for too long, unless their kind is paused', () => {
  const subqueue = (kind: string, minutes: number) => ({
    kind,
    tenant: '',
    retrying: 0,
    oldestDueAt: NOW - minutes * 60_000,
  });
  const subqueues = [subqueue('a', 4), subqueue('b', 6), subqueue('c', 20)];
  const replicas = [replica('r1', { kinds: ['a', 'b', 'c'] })];
  expect(found({ subqueues, replicas, counts: [queued('b', 2)] })).toMatchObject([
    { id: 'old:c', level: 'failed', title: 'c waits for 20 min' },
    { id: 'old:b', level: 'queued', count: 2 },
  ]);
  const paused = [{ kind: 'c', by: null, since: NOW, reason: null }];
  expect(found({ subqueues, replicas, paused }).map(({ id }) => id)).toEqual(['paused:c', 'old:b']);
});

test('groups that grew within the window', () => {
  const group = (id: string, lastAt: number, failed = 3) =>
    ({
      id,
      kind: 'a',
      code: 'broken',
      cause: 'No.',
      counts: { failed, retrying: 1 },
      firstAt: new Date(NOW - 9 * HOUR).toISOString(),
      lastAt: new Date(lastAt).toISOString(),
    }) as ErrorGroup;
  const groups = [group('new', NOW), group('old', NOW - 2 * HOUR), group('retries', NOW, 0)];
  expect(found({}, { groups })).toMatchObject([
    { id: 'group:new', title: '3 jobs of a failed: broken', action: 'open_group', target: 'new' },
  ]);
});

test('a budget past a mark', () => {
  const budget = (id: string, used: number, warnAt: number | null) =>
    ({ id, name: id, used, limit: 100, warnAt, stopAt: 90, detail: null }) as Budget;
  const budgets = [
    budget('x', 69, 70),
    budget('y', 71, 70),
    budget('z', 95, 70),
    budget('w', 99, null),
  ];
  expect(found({}, { budgets }).map(({ id, level }) => [id, level])).toEqual([
    ['budget:z', 'failed'],
    ['budget:y', 'retrying'],
  ]);
});

test('a replica that is held back, while it is there', () => {
  const wanted = {
    state: 'drained',
    since: new Date(NOW).toISOString(),
    by: 'ruth',
    reason: 'kernel',
  } as const;
  const replicas = [
    replica('r1', { state: 'paused', wanted, inFlight: 1 }),
    replica('r2', { state: 'stopped', wanted }),
  ];
  expect(all({ replicas })).toMatchObject([
    {
      id: 'held:r1',
      level: 'paused',
      detail: 'It takes no jobs, and finishes 1 job. Paused by ruth: “kernel”.',
    },
  ]);
});

test('a schedule that is paused, and one not declared any more once a tick has been missed', () => {
  const schedule = (name: string, cron: string, more: object = {}) => ({
    name,
    cron,
    timeZone: 'UTC',
    kind: 'a',
    lastTick: NOW - 2 * HOUR,
    lastJob: null,
    paused: null,
    ...more,
  });
  const paused = { since: NOW - 90 * 60_000, by: 'ruth' };
  const schedules = [
    schedule('well', '0 * * * *'),
    schedule('paused', '0 * * * *', { paused }),
    schedule('yearly', '0 0 1 1 *', { paused }),
    schedule('gone', '0 * * * *'),
    schedule('odd', 'not a cron', { paused }),
  ];
  const declared = ['well', 'paused', 'yearly'].map((name) => ({ name }));
  expect(found({ schedules }, { declared }).map(({ id, action }) => [id, action])).toEqual([
    ['schedule:paused', 'resume_schedule'],
    ['schedule:yearly', 'resume_schedule'],
    ['schedule:odd', 'resume_schedule'],
    ['schedule:gone', 'open_schedule'],
  ]);
});

test('of jobs, only those of the caller’s tenants count', () => {
  const scope = { ...EVERYTHING, tenants: ['acme'] };
  const paused = [{ kind: 'a', by: null, since: NOW, reason: null }];
  const counts = [queued('a', 5), queued('a', 2, { tenant: 'acme' }), queued('old', 9)];
  const subqueues = [{ kind: 'b', tenant: '', retrying: 0, oldestDueAt: 0 }];
  expect(found({ paused, counts, subqueues }, {}, scope)).toMatchObject([
    { id: 'paused:a', count: 2 },
  ]);
});
