import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/api';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { run } from '../../../cli/test/run.ts';
import { need } from '../../../scripts/need.mjs';
import { startPostgres } from '../../../scripts/services.mjs';
import { type Started, startMain } from '../../test/process.ts';

/** Whoever asks, and whatever has happened, gets the number of the database. */

await need('build');

/** Runs until somebody stops it. */
const HOLD = `
  import { defineJob, done } from '@millrace/engine';
  import { z } from 'zod';
  export const hold = defineJob({
    kind: 'hold',
    input: z.object({}),
    public: true,
    timeout: '1h',
    run: (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(done()), { once: true })),
  });
`;
const SLOTS = 20;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let folder: string;
beforeAll(async () => {
  postgres = await startPostgres();
  folder = mkdtempSync(join(tmpdir(), 'millrace-figures-'));
  mkdirSync(join(folder, 'jobs'));
  writeFileSync(join(folder, 'jobs', 'hold.ts'), HOLD);
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await postgres.remove();
});

function main(): Started {
  const started = startMain(
    {
      PORT: '0',
      NODE_ENV: 'development',
      AUTH_BYPASS_DEVELOPMENT: 'true',
      MILLRACE_DOCUMENTS: 'false',
      MILLRACE_QUERIES: 'false',
      DATABASE_URL: postgres.url,
    },
    folder,
  );
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
  });
  return started;
}

async function addressOf({ says }: Started): Promise<string> {
  const [, address = ''] = await says(/"address":"([^"]+)"/);
  return address;
}

/** By worker: what the leases say. */
async function inDatabase(): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ worker: string; n: number }>(
      'SELECT worker, count(*)::int AS n FROM millrace.running GROUP BY worker',
    );
    return Object.fromEntries(rows.map(({ worker, n }) => [worker, n]));
  } finally {
    await client.end();
  }
}

/** Everything that says how many jobs run. */
async function told(url: string) {
  const client = createClient({ baseUrl: url });
  const [overview, { replicas }, { jobs }, metrics, stats] = await Promise.all([
    client.overview(),
    client.listReplicas(),
    client.listJobs({ query: { state: 'PROCESSING', limit: 200 } }),
    client.metrics(),
    run(['stats', '--json'], url),
  ]);
  const byWorker = (of: typeof replicas) =>
    Object.fromEntries(
      of.filter((each) => each.inFlight > 0).map((each) => [each.id, each.inFlight]),
    );
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const ofCommand = JSON.parse(stats.stdout.split('\n')[0] ?? '') as {
    states: { PROCESSING: number };
  };
  return {
    overview: overview.running.total,
    overviewReplicas: byWorker(overview.replicas),
    replicas: byWorker(replicas),
    pools: sum(overview.running.pools.map(({ inFlight }) => inFlight)),
    poolsOfReplicas: sum(replicas.flatMap(({ pools }) => pools.map((pool) => pool.inFlight))),
    jobs: jobs.length,
    metrics: Number(/^jobs_running\{[^}]*kind="hold"[^}]*\} (\d+)/m.exec(metrics)?.[1]),
    command: ofCommand.states.PROCESSING,
  };
}

/** Polled, since answers are kept for a second. */
async function expectAgreement(url: string, total: number): Promise<void> {
  await expect
    .poll(async () => sumOf(await inDatabase()), { timeout: 60_000, interval: 100 })
    .toBe(total);
  const truth = await inDatabase();
  await expect
    .poll(() => told(url), { timeout: 20_000, interval: 200 })
    .toEqual({
      overview: total,
      overviewReplicas: truth,
      replicas: truth,
      pools: total,
      poolsOfReplicas: total,
      jobs: total,
      metrics: total,
      command: total,
    });
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

test(
  'overview, replicas, pools, jobs, metrics and the command line count what runs as the database does, under load, after a kill and after a restart',
  { timeout: 240_000 },
  async () => {
    const [first, second] = [main(), main()];
    const [url] = await Promise.all([addressOf(first), addressOf(second)]);
    const client = createClient({ baseUrl: url });
    const jobs = Array.from({ length: 50 }, () => ({ kind: 'hold' }));
    await client.enqueueBatch({ body: jobs });
    await expect
      .poll(async () => sumOf(await inDatabase()), { timeout: 60_000, interval: 20 })
      .toBe(2 * SLOTS);
    // At once: what it last said of itself is from before the load.
    second.child.kill('SIGKILL');
    await second.ended;
    await expectAgreement(url, 2 * SLOTS);

    await postgres.stop('immediate');
    await postgres.start();
    await expect
      .poll(
        () =>
          client.readyz().then(
            ({ status }) => status,
            () => 'away',
          ),
        { timeout: 60_000 },
      )
      .toBe('ready');
    await expectAgreement(url, 2 * SLOTS);
    expect((await client.overview()).figures.endedLately).toBe(0);
  },
);
