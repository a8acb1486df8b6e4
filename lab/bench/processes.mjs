// What a second worker process on the same machine gives.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../../scripts/services.mjs';
import { payload, until } from './contenders/common.mjs';
import { millrace } from './contenders/millrace.mjs';
import { figure, median, ratio, spread } from './stats.mjs';

const FILE = fileURLToPath(import.meta.url);

export async function main({ rounds, jobs }) {
  const postgres = await startPostgres();
  const ratios = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const [one, two] = [await rate(postgres.url, 1, jobs), await rate(postgres.url, 2, jobs)];
      ratios.push(two / one);
      console.log(
        `round ${round}: ${figure(one)} jobs/s with one process, ${figure(two)} with two`,
      );
    }
  } finally {
    await postgres.remove();
  }
  console.log(`two to one: ${spread(ratios)}`);
  console.log(`\nresult: processes two_vs_one=${ratio(median(ratios))}`);
}

/** Jobs per second, from the word to start until the store says that all have succeeded. */
async function rate(url, processes, jobs) {
  const contender = millrace();
  await contender.open({ databaseUrl: url });
  await contender.reset();
  await contender.enqueue(Array.from({ length: jobs }, (_, n) => payload(n)));
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query('analyze');
  await admin.query('checkpoint');
  const workers = Array.from({ length: processes }, () => fork(FILE, [url]));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const started = performance.now();
  for (const worker of workers) worker.send('start');
  await until(async () => (await contender.succeeded()) >= jobs);
  const seconds = (performance.now() - started) / 1000;
  for (const worker of workers) worker.kill('SIGKILL');
  await admin.end();
  await contender.close();
  return jobs / seconds;
}

if (process.argv[1] === FILE) {
  const contender = millrace();
  await contender.open({ databaseUrl: process.argv[2] });
  await contender.attach();
  process.on('message', () => contender.work(async () => {}));
  process.on('disconnect', () => process.exit());
  process.send('ready');
}
