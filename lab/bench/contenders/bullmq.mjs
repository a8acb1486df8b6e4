import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { confirm, counter, inBatches, pickups } from './common.mjs';

const name = 'noop';

export const bullmqWithoutAof = (tuning) =>
  bullmq({ name: 'BullMQ, Redis without AOF', url: (urls) => urls.redisUrl, ...tuning });

export const bullmqWithAof = (tuning) =>
  bullmq({ name: 'BullMQ, Redis AOF everysec', url: (urls) => urls.redisAofUrl, ...tuning });

/** With all finished jobs, as Millrace keeps them. */
export const bullmqWithHistory = (tuning) =>
  bullmqWithAof({ keepsFinished: true, keeps: 'history', ...tuning });

function bullmq(options) {
  const { batch = { size: 1000, inFlight: 4 }, concurrency = 100, redis = {} } = options;
  const { keepsFinished = false, keeps = 'nothing: deletes finished jobs' } = options;
  let connection;
  let queue;
  const connect = (url) => new Redis(url, { maxRetriesPerRequest: null, ...redis });
  const start = (handler) =>
    new Worker(name, (job) => handler(job.data), {
      connection,
      concurrency,
      ...(keepsFinished ? {} : { removeOnComplete: { count: 0 } }),
    });

  return {
    name: options.name,
    keeps,
    writesWal: false,

    async open(urls) {
      connection = connect(options.url(urls));
    },

    async reset() {
      await queue?.close();
      await connection.flushall();
      queue = new Queue(name, { connection });
      await queue.waitUntilReady();
    },

    enqueue: (payloads) =>
      inBatches(payloads, batch, (some) => queue.addBulk(some.map((data) => ({ name, data })))),

    /** It emits `completed` when Redis has answered that the job is finished. */
    async run(n) {
      const entered = counter();
      const finished = counter();
      const started = performance.now();
      const worker = start(async () => entered.count());
      worker.on('completed', finished.count);
      await finished.reached(n);
      const seconds = (performance.now() - started) / 1000;
      const left = await queue.getJobCounts('waiting', 'active', 'failed');
      confirm(options.name, n - left.waiting - left.active - left.failed, n);
      await worker.close();
      return { jobs: n, seconds };
    },

    pickup: (count) =>
      pickups(count, {
        async start(handler) {
          const worker = start(handler);
          await worker.waitUntilReady();
          return () => worker.close();
        },
        enqueue: (payload) => queue.add(name, payload),
      }),

    async close() {
      await queue?.close();
      connection.disconnect();
    },
  };
}
