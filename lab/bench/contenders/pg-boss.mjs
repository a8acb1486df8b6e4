import { PgBoss } from 'pg-boss';
import { confirm, counter, execute, inBatches, pickups } from './common.mjs';

const schema = 'pgboss';
const queue = 'noop';

/** `fetch` and `complete` by hand, a loop per connection. Nothing waits for jobs: no pick-up. */
export const pgBossLoop = (tuning) =>
  pgBoss({
    name: 'pg-boss, fetch/complete loop',
    ...tuning,
    async run(boss, n, { connections, fetchSize }) {
      const { count, calls } = counter();
      const handler = async () => count();
      const loop = async () => {
        while (calls() < n) {
          const jobs = await boss.fetch(queue, { batchSize: fetchSize });
          if (jobs.length === 0) return;
          await Promise.all(jobs.map((job) => handler(job.data)));
          await boss.complete(
            queue,
            jobs.map((job) => job.id),
          );
        }
      };
      const started = performance.now();
      await Promise.all(Array.from({ length: connections }, loop));
      return (performance.now() - started) / 1000;
    },
  });

/** Its own workers, woken by NOTIFY. `offWork` resolves when the last batch has been completed. */
export const pgBossWork = (tuning) =>
  pgBoss({
    name: 'pg-boss, work',
    ...tuning,
    async run(boss, n, { connections, fetchSize }) {
      const { count, reached } = counter();
      const handler = async () => count();
      const started = performance.now();
      await boss.work(
        queue,
        { batchSize: fetchSize, localConcurrency: connections, burstWhenBatchFull: true },
        (jobs) => Promise.all(jobs.map((job) => handler(job.data))),
      );
      await reached(n);
      await boss.offWork(queue, { wait: true });
      return (performance.now() - started) / 1000;
    },
    pickup: (boss, count) =>
      pickups(count, {
        async start(handler) {
          await boss.work(queue, ([job]) => handler(job.data));
          return () => boss.offWork(queue, { wait: true });
        },
        enqueue: (payload) => boss.send(queue, payload),
      }),
  });

function pgBoss(options) {
  const { name, connections = 4, fetchSize = 500, batch = { size: 1000, inFlight: 4 } } = options;
  let url;
  let boss;
  const sql = (text) => boss.getDb().executeSql(text);
  const close = () => boss?.stop({ graceful: false, close: true });

  return {
    name,
    keeps: 'history',

    async open({ databaseUrl }) {
      url = databaseUrl;
    },

    async reset() {
      await close();
      await execute(url, `drop schema if exists ${schema} cascade`);
      boss = new PgBoss({
        connectionString: url,
        schema,
        max: connections,
        supervise: false,
        schedule: false,
        useListenNotify: true,
      });
      boss.on('error', (error) => {
        throw error;
      });
      await boss.start();
      await boss.createQueue(queue, { notify: true });
      await Promise.all(Array.from({ length: connections }, () => sql('select pg_sleep(0.05)')));
    },

    enqueue: (payloads) =>
      inBatches(payloads, batch, (some) =>
        boss.insert(
          queue,
          some.map((data) => ({ data })),
        ),
      ),

    async run(n) {
      const seconds = await options.run(boss, n, { connections, fetchSize });
      const { rows } = await sql(
        `select count(*)::int as n from ${schema}.job where name = '${queue}' and state = 'completed'`,
      );
      confirm(name, rows[0].n, n);
      return { jobs: n, seconds };
    },

    pickup: options.pickup && ((count) => options.pickup(boss, count)),
    close,
  };
}
