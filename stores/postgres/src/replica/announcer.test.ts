import { type Events, type JobId, createEvents } from '@millrace/engine';
import { createVirtualTime } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import type { Announcement, Announcements } from '../service.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';

type Changed = Extract<Announcement, { readonly type: 'changed' }>;

/** An announcer, and what it has announced with the time of each. */
function createWorld(announce: Announcements['announce'] = async () => {}) {
  const time = createVirtualTime();
  const events = createEvents();
  const told: (Changed & { at: number })[] = [];
  const announcements: Announcements = {
    listen: () => () => {},
    arrive: () => true,
    async announce(params) {
      await announce(params);
      const { announcement } = params;
      if (announcement.type === 'changed') told.push({ ...announcement, at: time.now() });
    },
  };
  const announcer: Announcer = createAnnouncer({
    announcements,
    events,
    clock: time.process(),
    outage: { failed() {}, fine() {} },
  });
  return { announcer, events, told, time, run: (ms: number) => time.run(time.now() + ms) };
}

function enqueue(events: Events, ...ids: JobId[]): void {
  for (const id of ids)
    events.emit('job.enqueued', { id, kind: 'k', created: true, correlationId: id });
}

const job = { kind: 'k', tenant: '', attempt: 1, correlationId: 'c' };
const error = { code: 'c', message: 'm', retryable: true };

describe('the announcer', () => {
  test('tells the first change at once, and then what came in every 100 ms', async () => {
    const { events, told, run, time } = createWorld();
    await run(1_000);
    for (let n = 1; n <= 25; n += 1) {
      enqueue(events, `j-${n}`);
      await run(10);
    }
    await run(1_000);
    expect(told.map(({ at, jobs }) => [at, jobs.length])).toEqual([
      [1_000, 1],
      [1_100, 9],
      [1_200, 10],
      [1_300, 5],
    ]);
    expect(told.flatMap(({ jobs }) => jobs)).toHaveLength(25);
    expect(time.now()).toBe(2_250);
  });

  test('names a job once, however often it changes', async () => {
    const { events, told, run } = createWorld();
    enqueue(events, 'first');
    await run(10);
    for (let n = 0; n < 5; n += 1) enqueue(events, 'a', 'b');
    await run(100);
    expect(told.map(({ jobs }) => jobs)).toEqual([['first'], ['a', 'b']]);
  });

  test('listens to every event that says that a job is not as it was', async () => {
    const { events, told, run } = createWorld();
    await run(0);
    events.emit('job.enqueued', { id: '1', kind: 'k', created: true, correlationId: 'c' });
    events.emit('job.enqueued', { id: 'there', kind: 'k', created: false, correlationId: 'c' });
    events.emit('job.started', { ...job, id: '2' });
    events.emit('job.succeeded', { ...job, id: '3', durationMs: 1 });
    events.emit('job.failed', { ...job, id: '4', durationMs: 1, error, stack: null });
    events.emit('job.retrying', { ...job, id: '5', durationMs: 1, error, stack: null, delayMs: 1 });
    events.emit('job.deferred', { ...job, id: '6', durationMs: 1, delayMs: 1 });
    events.emit('job.canceled', { ...job, id: '7', durationMs: 1 });
    events.emit('job.handedBack', { ...job, id: '8', durationMs: 1 });
    events.emit('job.lost', { id: '9', kind: 'k', attempt: 1, correlationId: 'c' });
    events.emit('jobs.moved', { ids: ['10', '11'], by: 'cancel' });
    events.emit('job.progress', { ...job, id: '12', done: 1, total: null });
    events.emit('schedule.fired', { schedule: 's', tick: 1, id: '13' });
    await run(100);
    const ids = told.flatMap(({ jobs }) => jobs).toSorted((a, b) => Number(a) - Number(b));
    expect(ids).toEqual(Array.from({ length: 13 }, (_, index) => String(index + 1)));
    expect(told.some(({ more }) => more)).toBe(false);
  });

  test('names 250 and says that there are more', async () => {
    const { events, told, run } = createWorld();
    const ids = Array.from({ length: 300 }, (_, index) => `j-${index}`);
    enqueue(events, ...ids);
    await run(100);
    expect(told).toMatchObject([{ jobs: ids.slice(0, 250), more: true }]);
    enqueue(events, ...ids.slice(0, 250));
    await run(100);
    expect(told[1]).toMatchObject({ jobs: ids.slice(0, 250), more: false });
  });

  test('says nothing when nobody has watched for 90 s, and goes on when someone does', async () => {
    const { announcer, events, told, run } = createWorld();
    await run(89_999);
    enqueue(events, 'watched');
    await run(1);
    enqueue(events, 'unwatched');
    await run(1_999);
    enqueue(events, 'recent');
    await run(1_000);
    expect(told.map(({ jobs }) => jobs)).toEqual([['watched']]);
    announcer.hear();
    await run(100);
    expect(told[1]).toMatchObject({ jobs: ['recent'], more: false });
    await run(89_000);
    enqueue(events, 'again');
    await run(100);
    expect(told[2]).toMatchObject({ jobs: ['again'] });
  });

  test('remembers the last 250 of two seconds, and whether there were more', async () => {
    const { announcer, events, told, run } = createWorld();
    await run(100_000);
    const ids = Array.from({ length: 300 }, (_, index) => `j-${index}`);
    enqueue(events, ...ids);
    announcer.hear();
    await run(100);
    expect(told).toMatchObject([{ jobs: ids.slice(50), more: true }]);
    await run(100_000);
    enqueue(events, ...ids);
    await run(3_000);
    announcer.hear();
    await run(100);
    expect(told).toHaveLength(1);
  });

  test('keeps what it could not tell, and one announcement under way', async () => {
    let isAway = true;
    let calls = 0;
    const { events, told, run } = createWorld(async () => {
      calls += 1;
      if (isAway) throw new Error('away');
    });
    enqueue(events, 'a');
    await run(0);
    enqueue(events, 'b');
    await run(3_500);
    expect(calls).toBe(4);
    isAway = false;
    await run(1_000);
    expect(told.flatMap(({ jobs }) => jobs)).toEqual(['a', 'b']);
  });

  test('tells what is left when it closes, and nothing after', async () => {
    const { announcer, events, told, run } = createWorld();
    enqueue(events, 'a');
    await run(1);
    enqueue(events, 'b');
    await announcer.close();
    expect(told.map(({ jobs }) => jobs)).toEqual([['a'], ['b']]);
    enqueue(events, 'c');
    await run(1_000);
    expect(told).toHaveLength(2);
  });
});
