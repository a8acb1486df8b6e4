import pg from 'pg';
import { counter, inBatches, pickups, until } from './common.mjs';

// It logs a line per job unless set otherwise, and reads this when it is loaded.
process.env.NO_LOG_SUCCESS = '1';
const { Logger, makeWorkerUtils, runTaskList } = await import('graphile-worker');

const schema = 'graphile_worker';
const logger = new Logger(() => () => {});

const batched = (size) => ({
  concurrentJobs: 24,
  maxPoolSize: 25,
  localQueue: { size, refetchDelay: { durationMs: 10 } },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
});

export const graphileBatched = (tuning) =>
  graphileWorker({ name: 'graphile-worker, local queue 500', worker: batched(500), ...tuning });

/** Its fastest: the local queue is only filled again once it is empty, so a big one waits less often. */
export const graphileLarge = (tuning) =>
  graphileWorker({ name: 'graphile-worker, local queue 5,000', worker: batched(5000), ...tuning });

/** One job at a time, a commit for each: a tenth of the jobs gives its rate as well. */
export const graphileDefaults = (tuning) =>
  graphileWorker({ name: 'graphile-worker, defaults', worker: {}, share: 0.1, ...tuning });

function graphileWorker({ name, worker, share, batch = { size: 2000, inFlight: 2 } }) {
  let pool;
  let utils;
  const options = () => ({ pgPool: pool, logger, noHandleSignals: true, preset: { worker } });
  // Never awaited itself: a worker pool is thenable, and resolves when it has ended.
  const start = (handler) => {
    const workers = runTaskList(options(), { noop: handler }, pool);
    return { stop: () => workers.gracefulShutdown() };
  };
  const isEmpty = async () =>
    (await pool.query(`select from ${schema}._private_jobs limit 1`)).rowCount === 0;

  return {
    name,
    keeps: 'nothing: deletes finished jobs',
    share,

    async open({ databaseUrl }) {
      pool = new pg.Pool({ connectionString: databaseUrl, max: worker.maxPoolSize ?? 10 });
      pool.on('error', () => {});
      pool.on('connect', (client) => client.on('error', () => {}));
    },

    async reset() {
      await utils?.release();
      await pool.query(`drop schema if exists ${schema} cascade`);
      utils = await makeWorkerUtils(options());
      await utils.migrate();
    },

    enqueue: (payloads) =>
      inBatches(payloads, batch, (some) =>
        utils.addJobs(some.map((payload) => ({ identifier: 'noop', payload }))),
      ),

    async run(n) {
      const { count, reached } = counter();
      const started = performance.now();
      const workers = start(async () => count());
      await reached(n);
      await until(isEmpty);
      const seconds = (performance.now() - started) / 1000;
      await workers.stop();
      return { jobs: n, seconds };
    },

    pickup: (count) =>
      pickups(count, {
        start: (handler) => start(handler).stop,
        enqueue: (payload) => utils.addJob('noop', payload),
      }),

    async close() {
      await utils?.release();
      await pool.end();
    },
  };
}
