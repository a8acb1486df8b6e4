import { createMemoryDatabase } from '@millrace/store-memory';
import { describe, expect, it } from 'vitest';
import { START, type WorldOptions, createWorld, never, work } from '../../test/world.ts';
import {
  type Schedule,
  checkSchedule,
  createScheduler,
  defineSchedule,
  ticksBetween,
} from './schedules.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const at = (text: string) => Date.parse(text);

const hourly: Schedule = { name: 'hourly', cron: '0 * * * *', job: { kind: 'work', data: 'tick' } };

function world(schedule: Partial<Schedule> = {}, more: Partial<WorldOptions> = {}) {
  return createWorld({
    kinds: [work(async () => {})],
    worker: { schedules: [{ ...hourly, ...schedule }] },
    ...more,
  });
}

describe('a schedule', () => {
  it('makes a job at each tick, and none when it is new', async () => {
    const { worker, run, all, of } = world();
    worker.start();
    await run(3 * HOUR_MS + 1_000);
    expect(await all('work')).toMatchObject([
      { createdAt: START + HOUR_MS, schedule: 'hourly', payload: '"tick"', state: 'SUCCEEDED' },
      { createdAt: START + 2 * HOUR_MS },
      { createdAt: START + 3 * HOUR_MS },
    ]);
    expect(of('schedule.fired')).toMatchObject([
      { schedule: 'hourly', tick: START + HOUR_MS, id: 'mem-1' },
      {},
      {},
    ]);
  });

  it('that comes, changes or goes while the process runs is heeded at the next look', async () => {
    let schedules: Schedule[] = [];
    const { worker, run, all, store } = world({}, { worker: { schedules: () => schedules } });
    worker.start();
    await run(HOUR_MS);
    expect(await store.schedules.all()).toEqual([]);
    schedules = [hourly];
    await run(HOUR_MS + 2 * MINUTE_MS);
    expect(await all('work')).toMatchObject([
      { schedule: 'hourly', createdAt: START + 2 * HOUR_MS },
    ]);
    schedules = [{ ...hourly, cron: '30 * * * *' }];
    await run(45 * MINUTE_MS);
    expect(await store.schedules.all()).toMatchObject([{ name: 'hourly', cron: '30 * * * *' }]);
    expect((await all('work')).map(({ createdAt }) => createdAt)).toContain(
      START + 2 * HOUR_MS + 30 * MINUTE_MS,
    );
    schedules = [];
    const before = (await all('work')).length;
    await run(3 * HOUR_MS);
    expect(await all('work')).toHaveLength(before);
  });

  it('makes one however many replicas watch it', async () => {
    const { worker, join, run, all } = world();
    for (const each of [worker, join('w2').worker, join('w3').worker]) each.start();
    await run(2 * HOUR_MS + 1_000);
    expect(await all('work')).toHaveLength(2);
  });

  it('loses no tick while replicas of two versions, whose times differ, run side by side', async () => {
    const { store, registry, events, run, all } = world();
    const part = store.schedules;
    const [older, newer] = ['0 * * * *', '0,30 * * * *'].map((cron) =>
      createScheduler({
        store,
        part,
        registry,
        schedules: [{ ...hourly, cron, overlap: 'allow' }],
        events,
      }),
    );
    // Both look at each tick, a moment after it, and each finds what the other has written down.
    await older?.runOnce();
    await newer?.runOnce();
    for (let half = 1; half <= 6; half += 1) {
      await run(30 * MINUTE_MS - (half === 1 ? 0 : 40));
      for (const each of [older, newer]) {
        await run(20);
        await each?.runOnce();
      }
    }
    const made = (await all('work')).map(({ createdAt }) =>
      Math.floor((createdAt - START) / MINUTE_MS),
    );
    expect(made).toEqual([30, 60, 90, 120, 150, 180]);
  });

  it('counts in its own time zone, over the change of the clocks', async () => {
    const schedule = {
      ...hourly,
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      overlap: 'allow',
    } as const;
    const { store, registry, events, time, run, all } = world(
      {},
      { start: at('2026-10-23T12:00Z') },
    );
    const part = store.schedules;
    const scheduler = createScheduler({ store, part, registry, schedules: [schedule], events });
    while (time.now() < 3 * 24 * HOUR_MS) await run((await scheduler.runOnce()).nextMs);
    expect((await all('work')).map(({ createdAt }) => new Date(createdAt).toISOString())).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });
});

describe('a store whose clock is ahead for a moment', () => {
  /** Rounds as often as each asks for, over so long, by a clock that a test sets. */
  async function rounds(aheadMs: number, replicas: number) {
    const { registry, events } = world();
    const clock = { now: START };
    const store = createMemoryDatabase({ now: () => clock.now }).open();
    const schedules = [{ ...hourly, cron: '*/10 * * * *', overlap: 'allow' }] as const;
    const all = Array.from({ length: replicas }, () =>
      createScheduler({ store, part: store.schedules, registry, schedules, events }),
    );
    const round = async (): Promise<number> => {
      const asked = [];
      for (const each of all) asked.push((await each.runOnce()).nextMs);
      return Math.min(...asked);
    };
    await round();
    clock.now += aheadMs;
    await round();
    clock.now -= aheadMs;
    const { jobs: early } = await store.list({ filter: {}, limit: 100 });
    while (clock.now < START + HOUR_MS) clock.now += await round();
    await round();
    const { jobs } = await store.list({ filter: {}, limit: 100 });
    return jobs
      .slice(0, jobs.length - early.length)
      .map(({ createdAt }) => (createdAt - START) / MINUTE_MS)
      .toReversed();
  }

  it.each([HOUR_MS, 365 * 24 * HOUR_MS])(
    'by %d ms: its ticks come as ever, once',
    async (ahead) => {
      for (const replicas of [1, 3])
        expect(await rounds(ahead, replicas)).toEqual([10, 20, 30, 40, 50, 60]);
    },
  );
});

describe('a store that has lost the schedule', () => {
  it('in a fail-over: its ticks come as ever', async () => {
    const { registry, events } = world();
    const clock = { now: START };
    const database = createMemoryDatabase({ now: () => clock.now });
    const store = database.open();
    const schedules = [
      { ...hourly, overlap: 'allow' },
      { ...hourly, name: 'other', cron: '30 * * * *', overlap: 'allow' },
    ] as const;
    const part = store.schedules;
    const scheduler = createScheduler({ store, part, registry, schedules, events });
    await part.sync({
      schedules: [{ name: 'other', cron: '30 * * * *', timeZone: 'UTC', kind: 'work' }],
    });
    const failOver = database.snapshot();
    await scheduler.runOnce();
    failOver();
    while (clock.now < START + 2 * HOUR_MS) clock.now += (await scheduler.runOnce()).nextMs;
    await scheduler.runOnce();
    const { jobs } = await store.list({ filter: {}, limit: 100 });
    const ticks = jobs.map(({ createdAt }) => (createdAt - START) / MINUTE_MS);
    expect(ticks.toReversed()).toEqual([30, 60, 90, 120]);
  });
});

describe('ticks that nobody was there to take', () => {
  async function asleep(
    schedule: Partial<Schedule>,
    hours: number,
    more: Partial<WorldOptions> & { readonly thenMs?: number } = {},
  ) {
    const { thenMs = 10_000, ...options } = more;
    const { worker, join, run, all, clock } = world(schedule, options);
    worker.start();
    await run(1_000);
    clock.kill();
    await run(hours * HOUR_MS - 1_000 + 30 * MINUTE_MS);
    const second = join('w2');
    second.worker.start();
    await run(thenMs);
    return { jobs: await all('work'), of: second.of, run };
  }

  it('last: the last of them is run, once', async () => {
    const { jobs, of } = await asleep({}, 5);
    expect(jobs).toHaveLength(1);
    expect(of('schedule.fired')).toMatchObject([{ tick: START + 5 * HOUR_MS }]);
  });

  it('skip: none is run', async () => {
    const { jobs, of } = await asleep({ missed: 'skip' }, 5);
    expect(jobs).toEqual([]);
    expect(of('schedule.passed')).toEqual([
      { schedule: 'hourly', tick: START + 5 * HOUR_MS, why: 'missed' },
    ]);
  });

  it('all: each is run, oldest first', async () => {
    const { of } = await asleep({ missed: 'all', overlap: 'allow' }, 5);
    expect(of('schedule.fired').map(({ tick }) => (tick - START) / HOUR_MS)).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });

  it('have data of their own, where the schedule gives it by the tick', async () => {
    const dataAt = (tick: number) => (tick - START) / HOUR_MS;
    const { jobs } = await asleep({ missed: 'all', overlap: 'allow', dataAt }, 3);
    expect(jobs.map(({ payload }) => payload)).toEqual(['1', '2', '3']);
  });

  it('all: of very many, the latest hundred', async () => {
    const { jobs, of } = await asleep({ missed: 'all', overlap: 'allow', cron: '* * * * *' }, 24);
    expect(jobs).toHaveLength(100);
    expect(of('schedule.fired').at(-1)).toMatchObject({ tick: START + 24.5 * HOUR_MS });
    // And that is said: from which tick on some were left out.
    expect(of('schedule.passed')).toEqual([
      { schedule: 'hourly', tick: START + MINUTE_MS, why: 'limit' },
    ]);
  });

  it('all, where runs may not overlap: one after the other, however many they are', async () => {
    const dataAt = (tick: number) => (tick - START) / HOUR_MS;
    const { jobs, of } = await asleep({ missed: 'all', dataAt }, 130, { thenMs: 25 * MINUTE_MS });
    expect(jobs.map(({ payload }) => Number(payload))).toEqual(
      Array.from({ length: 130 }, (_, index) => index + 1),
    );
    for (const [index, { createdAt }] of jobs.entries())
      expect(createdAt).toBeGreaterThanOrEqual(jobs[index - 1]?.finishedAt ?? 0);
    expect(of('schedule.passed')).toEqual([]);
  });

  it('all, where runs may not overlap: a tick that comes while they are made up for waits too', async () => {
    const ends: (() => void)[] = [];
    const lasting = () => new Promise<void>((resolve) => ends.push(resolve));
    const kinds = [work(lasting, { timeout: '1d' })];
    const { of, run } = await asleep({ missed: 'all' }, 2, { kinds });
    const fired = () => of('schedule.fired').map(({ tick }) => (tick - START) / HOUR_MS);
    expect(fired()).toEqual([1]);
    // The third tick comes while the first runs, the fourth while the third runs, which was made late.
    await run(HOUR_MS);
    for (const done of [1, 2]) {
      ends[done - 1]?.();
      await run(20_000);
      expect(fired()).toHaveLength(done + 1);
    }
    await run(HOUR_MS);
    expect(fired()).toEqual([1, 2, 3]);
    ends[2]?.();
    await run(20_000);
    ends[3]?.();
    expect(fired()).toEqual([1, 2, 3, 4]);
    expect(of('schedule.passed')).toEqual([]);
    // From here on none is late, and overlap means what it says.
    await run(2 * HOUR_MS);
    expect(fired()).toEqual([1, 2, 3, 4, 5]);
    expect(of('schedule.passed')).toMatchObject([{ why: 'overlap', tick: START + 6 * HOUR_MS }]);
  });

  it('all, where runs may not overlap: what was paused is passed over', async () => {
    const { worker, join, run, all, clock, store } = world({ missed: 'all' });
    worker.start();
    await run(1_000);
    clock.kill();
    await store.schedules.pause({ name: 'hourly', by: 'ada' });
    await run(5.5 * HOUR_MS);
    join('w2').worker.start();
    await run(MINUTE_MS);
    await store.schedules.resume({ name: 'hourly' });
    await run(HOUR_MS);
    expect(await all('work')).toMatchObject([{ createdAt: START + 6 * HOUR_MS }]);
  });
});

it('skip runs a tick that is found in time', async () => {
  const { worker, run, all } = world({ missed: 'skip' });
  worker.start();
  await run(2 * HOUR_MS + 1_000);
  expect(await all('work')).toHaveLength(2);
});

describe('while the last run is alive', () => {
  it.each<[Schedule['overlap'], number, number]>([
    [undefined, 1, 2],
    ['skip', 1, 2],
    ['allow', 3, 0],
  ])('overlap %s: %d runs, %d passed', async (overlap, runs, passed) => {
    const { worker, run, all, of } = world(overlap === undefined ? {} : { overlap }, {
      kinds: [work(never, { timeout: '1d' })],
    });
    worker.start();
    await run(3 * HOUR_MS + 1_000);
    expect(await all('work')).toHaveLength(runs);
    expect(of('schedule.passed').filter(({ why }) => why === 'overlap')).toHaveLength(passed);
  });
});

describe('a store that fails', () => {
  it('for a while loses no tick', async () => {
    const { worker, run, all, line } = world();
    worker.start();
    await run(1_000);
    line.away.add('fire');
    await run(HOUR_MS);
    line.away.delete('fire');
    await run(MINUTE_MS);
    expect(await all('work')).toHaveLength(1);
  });

  it('for one schedule does not keep the others from their ticks', async () => {
    const schedules = ['bad', 'good'].map((name) => ({ ...hourly, name }));
    const { worker, run, all, line, of } = world({}, { worker: { schedules } });
    line.refused.set('fire', ({ schedule }: { schedule: string }) =>
      schedule === 'bad' ? new Error('no') : null,
    );
    worker.start();
    await run(HOUR_MS + 1_000);
    expect(await all('work')).toMatchObject([{ schedule: 'good' }]);
    expect(of('store.failed')).toMatchObject([{ during: 'schedule bad' }]);
  });
});

describe('ticks between two moments', () => {
  const from = at('2026-01-01T00:00Z');

  it('are after the first, up to the second, and the next', () => {
    expect(ticksBetween('0 * * * *', 'UTC', from, from + 2 * HOUR_MS)).toEqual({
      due: [from + HOUR_MS, from + 2 * HOUR_MS],
      next: from + 3 * HOUR_MS,
    });
    expect(ticksBetween('0 * * * *', 'UTC', from, from)).toEqual({ due: [], next: from + HOUR_MS });
  });

  it.each([
    ['* * * * * *', 1_000],
    ['* * * * *', MINUTE_MS],
    ['0 * * * *', HOUR_MS],
    ['0 0 * * *', 24 * HOUR_MS],
  ])(
    'of "%s" over twenty years are the latest hundred, and not counted through',
    (cron, period) => {
      const now = at('2046-01-01T00:00Z');
      const { due, next } = ticksBetween(cron, 'UTC', from, now);
      expect(due).toEqual(Array.from({ length: 100 }, (_, index) => now - (99 - index) * period));
      expect(next).toBe(now + period);
    },
  );

  it.each([
    ['Europe/Berlin', ['2026-03-29', '2026-10-25']],
    ['America/New_York', ['2026-03-08', '2026-11-01']],
    ['Australia/Lord_Howe', ['2026-04-05', '2026-10-04']],
  ])(
    'around the changes of the clocks in %s are in order, without doubles, at least one a day',
    (zone, changes) => {
      for (const [change, cron] of changes.flatMap((day) =>
        ['30 2 * * *', '0 0 * * *', '*/30 1-3 * * *'].map((each) => [day, each] as const),
      )) {
        const { due } = ticksBetween(
          cron,
          zone,
          at(change) - 72 * HOUR_MS,
          at(change) + 72 * HOUR_MS,
        );
        expect(due).toEqual([...new Set(due)].toSorted((a, b) => a - b));
        expect(due.length).toBeGreaterThanOrEqual(6);
      }
    },
  );

  it.each([
    ['15,45 2 * * *', '2026-03-29', ['01:00']],
    ['15,45 2 * * *', '2026-10-25', ['00:15', '00:45']],
    ['30 1,2,3 * * *', '2026-10-25', ['00:30', '02:30']],
    ['0 */2 * * *', '2026-03-29', ['01:00', '02:00']],
    ['0 */2 * * *', '2026-10-25', ['00:00', '03:00']],
  ])('of "%s" on %s in Europe/Berlin come once, asked every minute', (cron, day, expected) => {
    const found: string[] = [];
    for (let now = at(`${day}T00:00Z`); now < at(`${day}T03:30Z`); now += MINUTE_MS) {
      const { due } = ticksBetween(cron, 'Europe/Berlin', now - MINUTE_MS, now);
      found.push(...due.map((tick) => new Date(tick).toISOString().slice(11, 16)));
    }
    expect(found).toEqual(expected);
  });

  it('that never come again have no next', () => {
    expect(ticksBetween('0 0 0 1 1 * 2026', 'UTC', from - 1, from + HOUR_MS)).toEqual({
      due: [from],
      next: null,
    });
  });
});

it.each<[string, Partial<Schedule>, string, string]>([
  ['no cron', { cron: 'hourly' }, 'invalid_schedule', ', cron: "hourly" in time zone'],
  ['no time zone', { timeZone: 'Berlin' }, 'invalid_schedule', ', cron: '],
  ['no such kind', { job: { kind: 'nobody', data: null } }, 'unknown_kind', ', job: There is no'],
  [
    'no way to miss',
    { missed: 'some' as never },
    'invalid_definition',
    ', missed: this is not possible. Give it "last", "skip" or "all".',
  ],
  [
    'no way to overlap',
    { overlap: true as never },
    'invalid_definition',
    ', overlap: this is not possible. Give it "skip" or "allow".',
  ],
])('%s is refused with its field', (_, changes, code, sentence) => {
  const { registry } = world();
  const check = () => checkSchedule(registry, { ...hourly, ...changes });
  expect(check).toThrow(expect.objectContaining({ code }));
  expect(check).toThrow(`The schedule "${hourly.name}"${sentence}`);
});

it.each<[object, string]>([
  [{ timezone: 'UTC' }, 'timezone: there is no such field. Did you mean "timeZone"?'],
  [
    { job: { ...hourly.job, prioriti: 5 } },
    'job.prioriti: there is no such field. Did you mean "priority"?',
  ],
  [{ job: undefined }, 'job: this is not possible. Give it a kind and its data'],
])('%j is refused', (changes, said) => {
  expect(() => defineSchedule({ ...hourly, ...changes })).toThrow(
    `The schedule "${hourly.name}", ${said}`,
  );
});

it('no name is refused', () => {
  const { registry } = world();
  expect(() => checkSchedule(registry, { ...hourly, name: '' })).toThrow(
    expect.objectContaining({ code: 'invalid_text' }),
  );
});
