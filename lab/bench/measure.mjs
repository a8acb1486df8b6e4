// One measurement in a process of its own, so that no contender inherits another's heap, compiled
// code or timers. `measure(task, params)` runs `task` of this file in a child and returns its answer.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { payload } from './contenders/common.mjs';
import { contenders, onRedis } from './contenders/index.mjs';
import { percentile } from './stats.mjs';

const WARM_UP = 5_000;

/** Enqueue, run and pick-up of one contender. */
async function queue({ contender, urls, jobs, pickups }) {
  const made = await { ...contenders, ...onRedis }[contender]();
  const { name, keeps, share = 1, writesWal = true } = made;
  const { open, reset, enqueue, run, pickup, close } = made;
  const count = Math.round(jobs * share);
  const postgres = await observe(urls.databaseUrl);
  await open(urls);

  await reset();
  const warmUp = Math.round(Math.min(WARM_UP, jobs) * share);
  await enqueue(payloads(warmUp));
  await run(warmUp);

  await reset();
  const work = payloads(count);
  await postgres.checkpoint();
  const enqueued = await postgres.wal(() => timed(() => enqueue(work)));
  await postgres.analyze();
  const ran = await postgres.wal(() => run(count));

  let latencies = [];
  if (pickup) {
    await reset();
    latencies = await pickup(pickups);
  }
  await close();
  await postgres.close();
  return {
    name,
    keeps,
    enqueue: count / enqueued.seconds,
    jobs: ran.jobs / ran.seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    wal: writesWal ? (enqueued.wal + ran.wal) / count : null,
  };
}

/** Fills a database for `growth`. */
async function fill({ urls, what, rows }) {
  const { millrace } = await import('./contenders/millrace.mjs');
  const contender = millrace({ obstacles: true });
  await contender.open(urls);
  await contender.reset();
  await contender.fill(what, rows);
  await contender.close();
  const postgres = await observe(urls.databaseUrl);
  await postgres.vacuum();
  await postgres.close();
  return {};
}

/** Throughput of Millrace in a database as it is. */
async function throughput({ urls, jobs, work }) {
  const { millrace } = await import('./contenders/millrace.mjs');
  const contender = millrace({ obstacles: true });
  const postgres = await observe(urls.databaseUrl);
  await contender.open(urls);
  await contender.attach();
  const warmUp = Math.min(WARM_UP, jobs);
  await contender.enqueue(payloads(warmUp), work);
  await contender.run(warmUp);
  await contender.enqueue(payloads(jobs), work);
  await postgres.analyze();
  await postgres.checkpoint();
  const ran = await contender.run(jobs);
  await contender.close();
  await postgres.close();
  return { jobs: ran.jobs / ran.seconds };
}

const payloads = (count) => Array.from({ length: count }, (_, n) => payload(n));

async function timed(work) {
  const started = performance.now();
  await work();
  return { seconds: (performance.now() - started) / 1000 };
}

/** Where no Postgres is measured. */
const nothing = {
  checkpoint: async () => {},
  analyze: async () => {},
  wal: async (work) => ({ ...(await work()), wal: 0 }),
  close: async () => {},
};

/** A connection of the bench's own, beside the contender's. */
async function observe(url) {
  if (url === undefined) return nothing;
  const client = new pg.Client(url);
  await client.connect();
  const position = async () => {
    const { rows } = await client.query(
      `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`,
    );
    return rows[0].bytes;
  };
  return {
    // The first change of a page after a checkpoint logs the whole page: everyone starts there.
    checkpoint: () => client.query('checkpoint'),
    // What autovacuum does in a queue that has been in use for a minute.
    analyze: () => client.query('analyze'),
    vacuum: () => client.query('vacuum (analyze)'),
    async wal(work) {
      const before = await position();
      const result = await work();
      return { ...result, wal: (await position()) - before };
    },
    close: () => client.end(),
  };
}

const tasks = { queue, fill, throughput };

export function measure(task, params) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [], { stdio: ['ignore', 2, 2, 'ipc'] });
    child.once('message', ({ answer, error }) =>
      error ? reject(new Error(error)) : resolve(answer),
    );
    child.once('exit', (code) => reject(new Error(`the measuring process ended with ${code}`)));
    child.send({ task, params });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', ({ task, params }) => {
    const tell = (message) => process.send(message, () => process.exit());
    tasks[task](params).then(
      (answer) => tell({ answer }),
      (error) => tell({ error: error.stack ?? String(error) }),
    );
  });
}
