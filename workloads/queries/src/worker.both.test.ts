import {
  type Clock,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeCloud, createFakeCloud } from '../test/cloud.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../stores/postgres/test/stores.ts';
import { POLL_CONFIG, metricsOf, openQueries, queryKinds } from './index.ts';

const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

/** Hundreds of times as fast as usual. */
const FAST = {
  ...POLL_CONFIG,
  initialDelayMs: 10,
  maxDelayMs: 50,
  rowsetReadyInitialDelayMs: 5,
  rowsetReadyMaxDelayMs: 20,
};

async function openService(database: TestDatabase) {
  await database.reset();
  const registry = createRegistry(queryKinds(50));
  const store = await database.open(dependantsOf(registry, []));
  const events = createEvents();
  const queue = createQueue({ store, registry, events });
  let cloud: FakeCloud | undefined;
  const log = { info() {}, warn() {}, error() {} };
  const queries = await openQueries({
    store,
    queue,
    live: { announce: () => {}, listen: () => () => {} },
    clock: systemClock,
    log,
    metrics: metricsOf({ count: () => {}, record: () => {} }),
    config: { poll: FAST, keepResultsMs: 60_000, startLookMs: 1_000, startLookEveryMs: 50 },
    gatherMs: 5,
    keepRunsMs: 86_400_000,
    account: {
      mids: [{ tenant: '', mid: '100001' }],
      open(onCall) {
        cloud = createFakeCloud(Date.now, onCall, (effect) => effect());
        cloud.behaviour = { queuedMs: 20, runMs: 150, rows: 5, rowsAfterMs: 0 };
        return cloud;
      },
    },
  });
  const worker = createWorker({
    config: { id: 'w1', pools: [{ name: 'queries', concurrency: 50, batch: 50 }] },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
    services: new Map(registry.all().map(({ kind }) => [kind, queries])),
  });
  /** When the jobs of so many runs have ended. */
  const polled = (count: number): Promise<void> =>
    new Promise((resolve) => {
      let ended = 0;
      events.on('job.succeeded', ({ kind }) => {
        if (kind === 'poll-shell-query' && (ended += 1) === count) resolve();
      });
    });
  return {
    queries,
    queue,
    worker,
    polled,
    /** The failures of so many jobs. */
    failed: (count: number) =>
      new Promise<readonly string[]>((resolve) => {
        const codes: string[] = [];
        events.on('job.failed', ({ kind, error }) => {
          if (codes.push(`${kind} ${error.code}`) === count) resolve(codes.toSorted());
        });
      }),
    cloud: () => cloud,
    async close() {
      await worker.stop();
      await queries.close();
      await store.close();
    },
  };
}

describe.each(DATABASES)('the engine on %s', (which) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());

  test('carries runs to their ends, one poll job for each, which shares its questions with others', async () => {
    const { queries, queue, worker, polled, cloud, close } = await openService(database);
    const runs = await Promise.all(
      Array.from({ length: 20 }, () =>
        queries.runs.submit({
          sqlText: 'SELECT SubscriberKey FROM _Open',
          tenant: '',
          submitter: 'ada',
        }),
      ),
    );
    const over = polled(20);
    worker.start();
    await over;
    let polls = 0;
    let calls = 0;
    for (const { id } of runs) {
      const run = await queries.runs.get(id);
      expect(run).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
      polls += run.pollCount;
      calls += run.apiCalls;
      for (const key of [`execute-${id}`, `poll-${id}`]) {
        const { jobs } = await queue.list({ filter: { key }, limit: 10 });
        expect(jobs.map(({ key: own, state }) => [own, state])).toEqual([[key, 'SUCCEEDED']]);
      }
    }
    const asked = cloud()?.calls ?? [];
    expect(asked.filter((each) => each === 'taskStatuses').length).toBeLessThan(polls / 2);
    // Every call was counted for some run, in parts where it was shared.
    expect(calls).toBeCloseTo(asked.length, 6);
    expect(cloud()?.queries.size).toBe(0);
    await close();
  });

  test('fails a job whose run is not there, such as one that another program made for its own', async () => {
    const { queue, worker, failed, cloud, close } = await openService(database);
    const runId = '0b9f5c0e-6a4e-4c1c-9a52-5b8f5b3f9f2d';
    const data = { runId, tenantId: '', userId: 'ada', mid: '100001' };
    const codes = failed(3);
    await queue.enqueueAll([
      { kind: 'execute-shell-query', data: { ...data, eid: '1', sqlText: 'SELECT 1 AS a' } },
      { kind: 'execute-shell-query', data: { ...data, runId: 'run-99' } },
      {
        kind: 'poll-shell-query',
        key: `poll-${runId}`,
        data: { ...data, taskId: 't-1', pollCount: 3, pollStartedAt: '2026-01-31T09:00:00.000Z' },
      },
    ]);
    worker.start();
    expect(await codes).toEqual([
      'execute-shell-query unknown_run',
      'execute-shell-query unknown_run',
      'poll-shell-query unknown_run',
    ]);
    const { jobs } = await queue.list({ filter: { key: `poll-${runId}` }, limit: 1 });
    expect(jobs[0]).toMatchObject({
      state: 'FAILED',
      attempt: 1,
      error: { code: 'unknown_run', message: expect.stringContaining(runId) },
    });
    expect(cloud()?.calls).toEqual([]);
    await close();
  });
});
