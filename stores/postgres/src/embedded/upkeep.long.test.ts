import { newJob } from '@millrace/store-contract';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Statement } from '../database.ts';
import { openPgliteStore } from '../index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-embedded-'));
});
afterEach(() => rm(folder, { recursive: true }));

const PAGES: Statement = {
  name: '',
  text: `SELECT sum(pg_relation_size(c.oid) / 8192)::int AS pages FROM pg_class c
          WHERE c.relname IN ('ready', 'ready_pkey', 'lease', 'lease_pkey', 'count_delta')`,
};
const LOG: Statement = {
  name: '',
  text: `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`,
};

it('keeps the tables of the queue small, however many jobs went through', async () => {
  const store = await openPgliteStore({ source: { folder } });
  const pages = async (): Promise<number> => {
    const [row] = await store.database.query<{ pages: number }>(PAGES, []);
    return row?.pages ?? 0;
  };
  const round = async (): Promise<number> => {
    await store.enqueue({ jobs: Array.from({ length: 1_000 }, () => newJob()) });
    const { jobs } = await store.claim({
      worker: 'w',
      claim: 1,
      wants: [{ kind: newJob().kind, limit: 1_000 }],
      limit: 1_000,
      leaseMs: 60_000,
      alone: false,
    });
    await store.settle({
      settlements: jobs.map((job) => ({
        job,
        outcome: { move: 'succeed', result: 'null', purgePayload: false, effects: [] },
        children: [],
      })),
    });
    const most = await pages();
    await store.upkeep.maintain();
    return most;
  };
  await round();
  await round();
  const early = await round();
  let late = 0;
  for (let n = 0; n < 17; n++) late = Math.max(late, await round());
  expect(late).toBeLessThan(early * 2);
  await store.close();
});

it('keeps the log short', async () => {
  const store = await openPgliteStore({ source: { folder } });
  const log = async (): Promise<number> => {
    const [row] = await store.database.query<{ bytes: number }>(LOG, []);
    return row?.bytes ?? 0;
  };
  // 144 MB of log: a table of that size.
  await store.database.script(
    `CREATE TABLE big AS SELECT repeat('x', 1000) FROM generate_series(1, 140000); DROP TABLE big`,
  );
  expect(await log()).toBeGreaterThan(128 * 1024 * 1024);
  await store.upkeep.maintain();
  expect(await log()).toBeLessThan(1024 * 1024);
  await store.close();
});
