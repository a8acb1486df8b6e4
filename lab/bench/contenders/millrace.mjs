import {
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
  defineJob,
} from '@millrace/engine';
import { openBullStore } from '@millrace/store-bullmq';
import { openPostgresStore } from '@millrace/store-postgres';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { confirm, counter, execute, inBatches, payload, pickups } from './common.mjs';

const CONNECTIONS = 10;
const input = z.object({ n: z.number(), text: z.string() });

/** As the server's: the engine has no clock of its own. */
export const clock = {
  now: () => performance.now(),
  after(ms, fire) {
    if (ms > 0) {
      const timer = setTimeout(() => fire(), ms);
      return () => clearTimeout(timer);
    }
    const immediate = setImmediate(() => fire());
    return () => clearImmediate(immediate);
  },
};

const onPostgres = {
  urlOf: ({ databaseUrl }) => databaseUrl,
  open: (url) => openPostgresStore({ url, poolSize: CONNECTIONS }),
  empty: (url) => execute(url, 'drop schema if exists millrace cascade'),
};

const onRedis = {
  urlOf: ({ redisAofUrl }) => redisAofUrl,
  open: (url) => openBullStore({ url }),
  async empty(url) {
    const client = new Redis(url);
    await client.flushall();
    client.disconnect();
  },
};

/** Redis has one thread, and a script of 100 jobs holds it for 3 ms: more at a time are no quicker. */
export const millraceOnRedis = (tuning) =>
  millrace({
    name: 'Millrace on Redis',
    place: onRedis,
    writesWal: false,
    pool: { concurrency: 200, batch: 100 },
    ...tuning,
  });

export function millrace({
  name = 'Millrace',
  place = onPostgres,
  writesWal = true,
  batch = { size: 1000, inFlight: 4 },
  pool = { concurrency: 4000, batch: 2000 },
  obstacles = false,
} = {}) {
  let url;
  let store;
  let queue;
  const events = createEvents();
  let handler = async () => {};
  const registry = createRegistry([
    defineJob({ kind: 'noop', input, run: ({ data }) => handler(data) }),
    // A worker with a kind that has a quota claims under its lock: only where that is measured.
    ...(obstacles ? [limited(), ...obstacleKinds()] : []),
  ]);

  function limited() {
    const quota = { running: 100 };
    return defineJob({ kind: 'limited', input, quota, run: ({ data }) => handler(data) });
  }

  async function attach() {
    store = await place.open(url);
    queue = createQueue({ store, registry, events });
    await Promise.all(Array.from({ length: CONNECTIONS }, () => store.now()));
  }

  function start(wanted) {
    handler = wanted;
    const worker = createWorker({
      config: {
        id: `bench-${process.pid}`,
        pools: [{ name: 'bench', ...pool }],
        shutdownGrace: '1s',
      },
      store,
      registry,
      clock,
      random: Math.random,
      events,
    });
    worker.start();
    return () => worker.stop();
  }

  const enqueueAll = (payloads, options) =>
    inBatches(payloads, batch, (some) =>
      queue.enqueueAll(some.map((data) => ({ kind: 'noop', data, ...options }))),
    );

  /** Listeners hear of a success when the store has answered that it is settled. */
  async function run(n) {
    const entered = counter();
    const settled = counter();
    const unlisten = events.on('job.succeeded', settled.count);
    const before = await succeeded();
    const started = performance.now();
    const stop = start(async () => entered.count());
    await settled.reached(n);
    const seconds = (performance.now() - started) / 1000;
    const jobs = settled.calls();
    await stop();
    unlisten();
    confirm(name, (await succeeded()) - before, settled.calls());
    return { jobs, seconds };
  }

  async function succeeded() {
    const counts = (await queue.counts()).filter(({ state }) => state === 'SUCCEEDED');
    return counts.reduce((sum, { count }) => sum + count, 0);
  }

  return {
    name,
    keeps: 'history',
    writesWal,
    attach,
    run,
    succeeded,
    /** Until the process ends. */
    work: start,

    async open(urls) {
      url = place.urlOf(urls);
    },

    async reset() {
      await store?.close();
      await place.empty(url);
      await attach();
    },

    /** `tenants`: of how many the jobs are, in turns. */
    enqueue: (payloads, { tenants = 1, kind = 'noop' } = {}) =>
      inBatches(payloads, batch, (some) =>
        queue.enqueueAll(
          some.map((data) => ({
            kind,
            data,
            ...(tenants > 1 && { tenant: `tenant-${data.n % tenants}` }),
          })),
        ),
      ),

    pickup: (count) =>
      pickups(count, { start, enqueue: (data) => queue.enqueue({ kind: 'noop', data }) }),

    /** For `growth`: what stands in the tables beside the jobs that are measured. */
    async fill(what, rows) {
      const payloads = Array.from({ length: rows }, (_, n) => payload(n));
      const half = rows >> 1;
      const fills = {
        none: async () => {},
        queued: () => enqueueAll(payloads),
        finished: async () => {
          await enqueueAll(payloads);
          await run(rows);
        },
        future: () => enqueueAll(payloads, { priority: 1000, delay: '30d' }),
        capped: async () => {
          await enqueueAll(payloads.slice(half), { kind: 'capped', priority: 1000 });
          await enqueueAll(payloads.slice(0, half), { kind: 'paused', priority: 1000 });
          await store.control.pause({ kind: 'paused', by: null });
        },
      };
      await fills[what]();
    },

    close: () => store.close(),
  };
}

/** One kind that is always at its limit, since its only slot never ends by itself, and one to pause. */
function obstacleKinds() {
  const untilAborted = (_, { signal }) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
    );
  return [
    defineJob({ kind: 'capped', input, concurrency: 1, run: untilAborted }),
    defineJob({ kind: 'paused', input, run: async () => {} }),
  ];
}
