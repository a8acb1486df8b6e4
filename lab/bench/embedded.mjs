import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPgliteStore } from '@millrace/store-postgres';
import { figure, median, table } from './stats.mjs';

const BATCH = 1_000;
/** Jobs in a window, of which each has its line; fewer where there are fewer. */
const MOST_IN_WINDOW = 50_000;
/** As often as a worker calls it. */
const MAINTAIN_MS = 10_000;
const JOB = { kind: 'k', tenant: '', priority: null, payload: '{"n":1}', maxAttempts: 3 };
const DONE = { move: 'succeed', result: 'null', purgePayload: false, effects: [] };

const FLUSH = { name: '', text: 'SELECT pg_stat_force_next_flush()' };
const PAGES = {
  name: '',
  text: `
SELECT sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0))::float8 AS n
  FROM pg_statio_user_tables WHERE schemaname = 'millrace'`,
};

/** Does the embedded database stay as fast after a million jobs, with nobody to vacuum it but itself? */
export async function main({ jobs, single: perRound, relaxed, 'without-upkeep': withoutUpkeep }) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  try {
    const store = await openPgliteStore({ source: { folder, durable: !relaxed } });
    const upkeep = withoutUpkeep ? null : upkeepOf(store);
    const single = await runSingly(store, perRound);
    const windows = await runAll({ store, upkeep, jobs });
    await store.close();
    report(windows, { single, upkeep, logMb: await megabytes(join(folder, 'pg', 'pg_wal')) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runAll({ store, upkeep, jobs }) {
  const windows = [];
  const size = Math.min(MOST_IN_WINDOW, Math.ceil(jobs / BATCH) * BATCH);
  for (let done = 0; done < jobs; done += size) {
    const [startedAt, pages, ms] = [cpuMs(), [], []];
    let lookingMs = 0;
    for (let n = 0; n < size; n += BATCH) {
      await runBatch(store);
      const looked = await look(store);
      pages.push(looked.pages);
      ms.push(looked.ms);
      lookingMs += looked.allMs;
      await upkeep?.whenDue();
    }
    const found = {
      jobs: done + size,
      pages: median(pages),
      most: Math.max(...pages),
      ms: median(ms),
      us: ((cpuMs() - startedAt - lookingMs) * 1_000) / size,
    };
    windows.push(found);
    console.log(
      `${figure(found.jobs)} jobs: an empty claim reads ${figure(found.pages)} pages, ${figure(found.most)} at the most, in ${found.ms.toFixed(2)} ms; ${figure(found.us)} µs a job`,
    );
  }
  return windows;
}

/**
 * Jobs a second when each is added, claimed and settled by itself: three commits, which wait for the disk one by one. The
 * best round counts: the others had to share the machine.
 */
async function runSingly(store, jobs) {
  const rates = [];
  for (let round = 0; round < 10; round += 1) {
    const startedAt = performance.now();
    for (let n = 0; n < jobs; n += 1) await runBatch(store, 1);
    rates.push(jobs / ((performance.now() - startedAt) / 1_000));
  }
  return Math.max(...rates);
}

async function runBatch(store, size = BATCH) {
  await store.enqueue({ jobs: Array.from({ length: size }, () => JOB) });
  const { jobs } = await claim(store);
  if (jobs.length !== size) throw new Error(`${jobs.length} jobs were claimed, not ${size}.`);
  await store.settle({
    settlements: jobs.map((job) => ({ job, outcome: DONE, children: [] })),
  });
}

let claims = 0;
function claim(store) {
  claims += 1;
  return store.claim({
    worker: 'bench',
    claim: claims,
    wants: [{ kind: JOB.kind, limit: BATCH }],
    limit: BATCH,
    leaseMs: 60_000,
  });
}

/** What a poll costs that finds nothing: all that it reads is in the way of every claim. */
async function look(store) {
  const startedAt = cpuMs();
  const before = await pagesRead(store);
  const claimedAt = cpuMs();
  await claim(store);
  const ms = cpuMs() - claimedAt;
  const pages = (await pagesRead(store)) - before;
  return { pages, ms, allMs: cpuMs() - startedAt };
}

/** The database is in this process, so its processor time is all of it, whatever else the machine does. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function pagesRead({ database }) {
  await database.query(FLUSH, []);
  const [row] = await database.query(PAGES, []);
  return row.n;
}

function upkeepOf(store) {
  let last = -Infinity; // once at the beginning, so that the smallest size has it too
  const took = [];
  return {
    took,
    async whenDue() {
      if (performance.now() - last < MAINTAIN_MS) return;
      const startedAt = cpuMs();
      await store.upkeep.maintain();
      took.push(cpuMs() - startedAt);
      last = performance.now();
    },
  };
}

async function megabytes(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ name }) => (await stat(join(folder, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
}

function report(windows, { single, upkeep, logMb }) {
  const [first, last] = [windows[0], windows.at(-1)];
  const row = (of) => [
    figure(of.jobs),
    figure(of.pages),
    figure(of.most),
    of.ms.toFixed(2),
    figure(of.us),
  ];
  console.log('');
  console.log(
    table(['after jobs', 'pages', 'at the most', 'CPU ms', 'CPU µs/job'], [row(first), row(last)]),
  );
  const took = upkeep?.took ?? [];
  const longest = Math.max(0, ...took);
  console.log(`\nOne by one: ${figure(single)} jobs/s`);
  console.log(
    `${took.length} times of upkeep, ${longest.toFixed(0)} ms at the most; log of ${logMb} MB`,
  );
  const most = Math.max(...windows.map((each) => each.most));
  console.log(
    `result: embedded jobs=${last.jobs} single_per_s=${single.toFixed(0)} pages_first=${first.pages} pages_last=${last.pages} pages_most=${most} claim_ms_first=${first.ms.toFixed(2)} claim_ms_last=${last.ms.toFixed(2)} cpu_us_first=${first.us.toFixed(0)} cpu_us_last=${last.us.toFixed(0)} upkeep_ms_most=${longest.toFixed(0)} log_mb=${logMb}`,
  );
}
