import {
  type Clock,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  dependantsOf,
} from '@millrace/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../stores/postgres/test/stores.ts';
import { createThings } from '../test/things.ts';
import { fileless } from '../test/world.ts';
import { followSteps, openPipelines, pipelineKinds } from './index.ts';
import { metricsOf } from './observe.ts';

const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

const FILE = `
title: Diamond
steps:
  a: { query: { name: a } }
  b: { query: { name: b }, after: a }
  c: { query: { name: c }, after: a }
  d: { query: { name: d }, after: [b, c] }
`;

describe.each(DATABASES)('the engine on %s', (which) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());

  test('carries runs to their ends in two workers: each step once, each join after both', async () => {
    await database.reset();
    const registry = createRegistry(pipelineKinds());
    const store = await database.open(dependantsOf(registry, [], [followSteps]));
    const events = createEvents();
    const queue = createQueue({ store, registry, events });
    const things = createThings((effect) => effect());
    const { catalogue, files } = fileless();
    files.set('diamond', FILE);
    const listeners = new Set<(ids: readonly string[] | null) => void>();
    const pipelines = await openPipelines({
      store,
      queue,
      catalogue,
      works: things.step,
      live: {
        announce: (_, id) => listeners.forEach((listener) => listener([id])),
        listen(_, listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      clock: systemClock,
      now: Date.now,
      log: { info() {}, warn() {}, error() {} },
      metrics: metricsOf({ count: () => {}, record: () => {} }),
      keepRunsMs: 86_400_000,
    });
    const workers = ['w1', 'w2'].map((id) =>
      createWorker({
        config: { id, pools: [{ name: 'all', interval: { active: 50, idle: 50 } }] },
        store,
        registry,
        clock: systemClock,
        random: Math.random,
        events: createEvents(),
        services: new Map(registry.all().map(({ kind }) => [kind, pipelines])),
      }),
    );
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const run = await pipelines.runs.submit({
        pipeline: 'diamond',
        parameters: {},
        tenant: '',
        submitter: 'ada',
        roles: [],
        claims: {},
      });
      ids.push(run.id);
    }
    for (const worker of workers) worker.start();
    const { signal } = new AbortController();
    for (const id of ids) {
      let last = '';
      for await (const { state } of pipelines.watch(id, signal)) last = state;
      expect(last).toBe('SUCCEEDED');
    }
    for (const name of ['a', 'b', 'c', 'd']) expect(things.of(name)).toHaveLength(5);
    await Promise.all(workers.map((worker) => worker.stop()));
    await pipelines.close();
    await store.close();
  });
});
