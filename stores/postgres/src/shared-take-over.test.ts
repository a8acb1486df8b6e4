import { newJob } from '@millrace/store-contract';
import { beforeEach, expect, it } from 'vitest';
import { meeting } from '../test/meeting.ts';
import type { PostgresStore } from './index.ts';

/** A lost worker's claim may be of any size, and is taken over in parts that the database can do in time. */

const JOBS = 2_500;

const met = meeting();
const { open, untilWaiting } = met;
let store: PostgresStore;
beforeEach(async () => {
  store = await open();
  await store.enqueue({ jobs: Array.from({ length: JOBS }, () => newJob()) });
  expect((await claim(JOBS)).jobs).toHaveLength(JOBS);
  await met.other.query(`UPDATE millrace.shared_lease SET until = now() - interval '1 second'`);
});

let claims = 0;
function claim(limit: number) {
  const wants = [{ kind: 'work', limit }];
  return store.claim({ worker: 'w', claim: (claims += 1), wants, limit, leaseMs: 60_000 });
}

async function sharedJobs(): Promise<unknown[]> {
  const text = 'SELECT holding, cardinality(seqs) AS named FROM millrace.shared_lease';
  return (await met.other.query(text)).rows;
}

it('a thousand jobs at a time', async () => {
  expect((await claim(1)).takenOver).toBe(1_000);
  expect(await sharedJobs()).toEqual([{ holding: 1_500, named: 1_500 }]);
  expect((await claim(1)).takenOver).toBe(1_000);
  expect((await claim(1)).takenOver).toBe(500);
  expect(await sharedJobs()).toEqual([]);
  expect((await met.other.query('SELECT DISTINCT seq FROM millrace.suspect')).rowCount).toBe(JOBS);
});

it('half as many after a time-out', async () => {
  // The 900th record is held until the database ends the statement that waits for it, as statement_timeout would.
  await met.other.query('BEGIN; SELECT FROM millrace.jobs WHERE seq = 900 FOR UPDATE');
  const ended = expect(claim(1)).rejects.toMatchObject({ name: 'StoreTimedOut' });
  await untilWaiting(1, 'pg_cancel_backend(pid)');
  await ended;
  expect((await claim(1)).takenOver).toBe(500);
  await met.other.query('COMMIT');
  expect((await claim(1)).takenOver).toBe(1_000);
  expect((await claim(1)).takenOver).toBe(1_000);
  expect((await met.other.query('SELECT DISTINCT seq FROM millrace.suspect')).rowCount).toBe(JOBS);
});
