import { type Count, StoreUnavailable, type WorkerStatus } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ManualClock, manualClock, start } from '../../../test/telemetry.ts';
import { createBounds } from './bounds.ts';
import { createGauges } from './gauges.ts';
import { type Observed, eventLoopGauges } from './observe.ts';
import type { Telemetry } from '../types.ts';

let clock: ManualClock;
let telemetry: Telemetry;
let asked = 0;

beforeEach(async () => {
  asked = 0;
  clock = manualClock();
  telemetry = await start({}, clock);
});
afterEach(() => telemetry.stop());

function observe(counts: () => Promise<Count[]>, parts: Partial<Observed> = {}): void {
  const store = {
    counts() {
      asked += 1;
      return counts();
    },
  };
  const kinds = [{ kind: 'hello' }, { kind: 'report' }];
  telemetry.observe({ store, worker: null, registry: { all: () => kinds as never }, ...parts });
}

const counts: Count[] = [
  { kind: 'hello', tenant: 'a', state: 'QUEUED', count: 1_005, scheduled: 1_000 },
  { kind: 'hello', tenant: 'b', state: 'QUEUED', count: 2, scheduled: 0 },
  { kind: 'hello', tenant: 'a', state: 'PROCESSING', count: 1, scheduled: 0 },
  { kind: 'hello', tenant: 'a', state: 'SUCCEEDED', count: 90, scheduled: 0 },
  { kind: 'hello', tenant: 'a', state: 'FAILED', count: 4, scheduled: 0 },
  { kind: 'removed', tenant: 'a', state: 'QUEUED', count: 3, scheduled: 0 },
  { kind: 'removed-too', tenant: 'a', state: 'QUEUED', count: 4, scheduled: 0 },
];

describe('the store', () => {
  test('is counted by kind, over all tenants', async () => {
    observe(() => Promise.resolve(counts));
    const text = await telemetry.scrape();
    expect(text).toContain('queue_depth{kind="hello"} 7\n');
    expect(text).toContain('queue_depth{kind="report"} 0\n');
    expect(text).toContain('queue_depth{kind="other"} 7\n');
    // What is for later is no backlog.
    expect(text).toContain('queue_scheduled{kind="hello"} 1000\n');
    expect(text).toContain('queue_scheduled{kind="report"} 0\n');
    expect(text).toContain('jobs_running{kind="hello"} 1\n');
    expect(text).toContain('jobs_failed{kind="hello"} 4\n');
  });

  test('a kind whose store does not answer has no number, not 0', async () => {
    observe(() => Promise.resolve(counts.slice(0, 5)), { unknownKinds: () => ['report'] });
    const text = await telemetry.scrape();
    expect(text).toContain('queue_depth{kind="hello"} 7\n');
    expect(text).not.toMatch(/kind="report"/);
  });

  test('is asked once a second at most, however many scrape', async () => {
    observe(() => Promise.resolve(counts));
    const texts = await Promise.all([telemetry.scrape(), telemetry.scrape()]);
    clock.advance(999);
    texts.push(await telemetry.scrape());
    expect(asked).toBe(1);
    for (const text of texts) expect(text).toContain('queue_depth{kind="hello"} 7\n');
    clock.advance(1);
    await telemetry.scrape();
    expect(asked).toBe(2);
  });

  test('that is away costs a scrape its own gauges, and no others', async () => {
    let away = false;
    observe(() => (away ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve(counts)));
    expect(await telemetry.scrape()).toContain('queue_depth{');
    away = true;
    clock.advance(1_000);
    const text = await telemetry.scrape();
    expect(text).not.toContain('queue_depth');
    expect(text).toContain('process_memory_bytes{type="rss"}');
  });

  test('that throws at once is away too', async () => {
    observe(() => {
      throw new Error('closed');
    });
    expect(await telemetry.scrape()).toContain('process_memory_bytes{');
  });

  test('that hangs does not hang a scrape, and is not asked again meanwhile', async () => {
    let answer: (rows: Count[]) => void = () => {};
    observe(() => new Promise((resolve) => (answer = resolve)));
    const first = telemetry.scrape();
    clock.advance(2_000);
    expect(await first).not.toContain('queue_depth');
    const second = telemetry.scrape();
    clock.advance(2_000);
    expect(await second).not.toContain('queue_depth');
    expect(asked).toBe(1);
    const third = telemetry.scrape();
    answer(counts);
    expect(await third).toContain('queue_depth{kind="hello"} 7\n');
  });
});

describe('the process', () => {
  const status = (fields: Partial<WorkerStatus>): WorkerStatus => ({
    id: 'w',
    store: 'memory',
    state: 'running',
    uptimeMs: 61_500,
    alone: null,
    inFlight: 3,
    settling: 0,
    jobs: [],
    tookOver: [],
    lastPoll: null,
    totals: {} as never,
    pools: [
      {
        name: 'default',
        kinds: [],
        concurrency: 20,
        inFlight: 3,
        fullKinds: [],
        minPriority: null,
        heldUntil: null,
      },
    ],
    ...fields,
  });

  test('shows its worker', async () => {
    let state: WorkerStatus['state'] = 'running';
    observe(() => Promise.resolve([]), { worker: { status: () => status({ state }) } });
    const text = await telemetry.scrape();
    expect(text).toContain('in_flight_jobs{pool="default"} 3\n');
    expect(text).toContain('job_slots{pool="default"} 20\n');
    expect(text).toContain('poller_uptime_seconds 61.5\n');
    state = 'paused';
    expect(await telemetry.scrape()).toContain('poller_uptime_seconds 0\n');
  });

  test('shows its streams', async () => {
    observe(() => Promise.resolve([]), { hub: { streams: () => 12 } });
    expect(await telemetry.scrape()).toContain('\nlive_streams 12\n');
  });

  test('shows its memory and its event loop', async () => {
    observe(() => Promise.resolve([]));
    const text = await telemetry.scrape();
    for (const type of ['rss', 'heapUsed', 'external'])
      expect(text).toContain(`process_memory_bytes{type="${type}"} `);
    for (const percentile of ['50', '99', '100'])
      expect(text).toContain(`event_loop_delay_seconds{percentile="${percentile}"} `);
  });
});

describe('the event loop', () => {
  /** In milliseconds, which Node tells in nanoseconds. */
  async function read(monitor: { count: number; p50: number; p99: number; max: number }) {
    let resets = 0;
    const gauges = createGauges(createBounds());
    gauges.observe(
      eventLoopGauges({
        count: monitor.count,
        max: monitor.max * 1e6,
        percentile: (n) => (n === 50 ? monitor.p50 : monitor.p99) * 1e6,
        reset: () => void (resets += 1),
      }),
    );
    const series = (await gauges.read()).get('event_loop_delay_ms') ?? [];
    return { told: series.map(({ value }) => value), resets };
  }

  test('is late by what is more than the interval of its timer, since the last scrape', async () => {
    const { told, resets } = await read({ count: 9, p50: 20.5, p99: 70, max: 320 });
    expect(told).toEqual([0.5, 50, 300]);
    expect(resets).toBe(1);
  });

  test('is not late when its timer was early, or has not ticked yet', async () => {
    expect((await read({ count: 9, p50: 19, p99: 20, max: 20 })).told).toEqual([0, 0, 0]);
    expect((await read({ count: 0, p50: 99, p99: 99, max: 99 })).told).toEqual([0, 0, 0]);
  });
});

test('a gauge that was set stays what it is', async () => {
  telemetry.setGauge('conversion_pool_active', 3);
  telemetry.setGauge('conversion_pool_active', 2);
  await telemetry.scrape();
  expect(await telemetry.scrape()).toContain('\nconversion_pool_active 2\n');
});
