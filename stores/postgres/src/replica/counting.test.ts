import { type NewJob, createEvents } from '@millrace/engine';
import { LEVEL, type Rollup } from '../figures.ts';
import { expect, test } from 'vitest';
import { bucketOf, createCounting } from './counting.ts';

const NOW = Date.parse('2026-03-10T12:34:30Z');
const MINUTE = 60_000;

function createWorld() {
  let now = NOW;
  const events = createEvents();
  const counting = createCounting({
    events,
    now: () => now,
    ofOrgs: new Set(['document.salesforce']),
  });
  const wait = (ms: number) => void (now += ms);
  return { events, counting, wait };
}

const event = (kind: string, tenant = '') => ({
  id: 'pg-1',
  kind,
  tenant,
  attempt: 1,
  correlationId: 'c',
});
const newJob = (kind: string, more: Partial<NewJob> = {}): NewJob => ({
  kind,
  payload: '{}',
  maxAttempts: 1,
  tenant: '',
  priority: null,
  ...more,
});
const error = { code: 'x', message: 'No.', retryable: false };
const at = (rows: readonly Rollup[], level: number, tenant = '', kind = '') =>
  rows.find((row) => row.level === level && row.tenant === tenant && row.kind === kind);

test('an event is counted on all three levels', () => {
  const { events, counting } = createWorld();
  events.emit('job.succeeded', { ...event('a', 'acme'), durationMs: 100 });
  events.emit('job.failed', { ...event('a'), durationMs: 1, error, stack: null });
  events.emit('job.retrying', { ...event('b'), durationMs: 1, error, stack: null, delayMs: 5 });
  events.emit('job.canceled', { ...event('b'), durationMs: 1 });
  counting.ended([{ kind: 'b', tenant: '', state: 'CANCELED' }]);
  counting.ended([{ kind: 'b', tenant: '', state: 'FAILED' }]);
  const rows = counting.take();
  expect(at(rows, LEVEL.all)).toMatchObject({ succeeded: 1, failed: 2, canceled: 2, retried: 1 });
  expect(at(rows, LEVEL.kind, '', 'a')).toMatchObject({ succeeded: 1, failed: 1 });
  expect(at(rows, LEVEL.subqueue, 'acme', 'a')).toMatchObject({ succeeded: 1, failed: 0 });
  expect(at(rows, LEVEL.all)?.ran[bucketOf(100)]).toBe(1);
  expect(rows.every(({ minute }) => minute === NOW - 30_000)).toBe(true);
});

test('where a job came from is known by its fields; records of an org count when they begin', () => {
  const { events, counting } = createWorld();
  counting.made([
    newJob('a', { submitter: 'ada' }),
    newJob('a', { schedule: 'nightly', submitter: 'service' }),
    newJob('a', { correlationId: 'pipe-7', submitter: 'ada', parents: { x: 'pg-1' } }),
    newJob('a', { correlationId: 'pipes', parents: { x: 'pg-1' }, submitter: 'ada' }),
    newJob('a'),
  ]);
  events.emit('job.started', event('document.salesforce'));
  events.emit('job.started', { ...event('document.salesforce'), attempt: 2 });
  events.emit('job.started', event('a'));
  expect(at(counting.take(), LEVEL.all)?.enqueued).toEqual([1, 1, 1, 1, 1, 1]);
});

test('how long a job waited is counted from when it was due, and a clock that is ahead counts as nothing', () => {
  const { events, counting } = createWorld();
  events.emit('job.started', { ...event('a'), dueAt: NOW - 5_000 });
  events.emit('job.started', { ...event('a'), dueAt: NOW + 5_000 });
  events.emit('job.started', { ...event('a'), dueAt: null });
  const waited = at(counting.take(), LEVEL.all)?.waited ?? [];
  expect([waited[bucketOf(5_000)], waited[0]]).toEqual([1, 1]);
  expect(waited.reduce((sum, count) => sum + count, 0)).toBe(2);
});

test('what was taken comes again when it was not written, with what has come since', () => {
  const { events, counting } = createWorld();
  const succeed = () => events.emit('job.succeeded', { ...event('a'), durationMs: 1 });
  succeed();
  expect(at(counting.take(), LEVEL.all)?.succeeded).toBe(1);
  expect(counting.take()).toEqual([]);
  counting.untake();
  expect(counting.take()).toEqual([]);
  succeed();
  counting.take();
  counting.untake();
  succeed();
  expect(at(counting.take(), LEVEL.all)?.succeeded).toBe(3);
  counting.written();
  succeed();
  // The whole value of the minute each time.
  expect(at(counting.take(), LEVEL.all)?.succeeded).toBe(4);
});

test('a minute that is over and written is forgotten; one that is not written is kept', () => {
  const { events, counting, wait } = createWorld();
  const succeed = () => events.emit('job.succeeded', { ...event('a'), durationMs: 1 });
  succeed();
  counting.take();
  counting.untake();
  wait(MINUTE);
  succeed();
  const rows = counting.take();
  expect(new Set(rows.map(({ minute }) => minute)).size).toBe(2);
  counting.written();
  expect(counting.size()).toBe(3);
  wait(MINUTE);
  counting.written();
  expect(counting.size()).toBe(1);
});

test('memory is bounded: by tenants in a minute, and by minutes while the store is away', () => {
  const { counting, wait } = createWorld();
  for (let minute = 0; minute < 90; minute += 1) {
    counting.made(
      Array.from({ length: 300 }, (_, tenant) => newJob('a', { tenant: `t${tenant}` })),
    );
    wait(MINUTE);
  }
  expect(counting.size()).toBeLessThan(60 * 2 + 6 * 301);
  counting.made(
    Array.from({ length: 20_000 }, (_, tenant) => newJob('a', { tenant: `t${tenant}` })),
  );
  const rows = counting.take();
  const last = Math.max(...rows.map(({ minute }) => minute));
  const newest = rows.filter(({ minute }) => minute === last);
  expect(newest.filter(({ level }) => level === LEVEL.subqueue)).toHaveLength(10_000);
  // Nobody is missing from the sums.
  expect(at(newest, LEVEL.all)?.enqueued.at(-1)).toBe(20_000);
});
