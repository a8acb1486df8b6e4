import type { ClaimedJob, Dependants, Store } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { beforeEach, expect, it } from 'vitest';
import { meeting } from '../test/meeting.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';

/** An erasure that meets whoever is making children of a job about the person at that moment. */

const met = meeting();
const { open, rows, untilWaiting, atEnd } = met;

const ABOUT = { subject: 'Ann', payload: '"Ann"' };
/** Of this key, a row that another holds lets the transaction wait after its job's row and before its commit. */
const KEY = { value: 'held', windowMs: 60_000 };
const CHILD = newJob({ ...ABOUT, kind: 'child', key: KEY });
const follows: Dependants = ({ kind }) => (kind === 'followed' ? [{ child: CHILD }] : []);

let making: PostgresStore;
let erasing: PostgresStore;
beforeEach(async () => {
  making = await openPostgresStore({ url: met.url, dependants: follows });
  atEnd(() => making.close());
  erasing = await open();
});

async function start(kind = 'work'): Promise<ClaimedJob> {
  await making.enqueue({ jobs: [newJob({ ...ABOUT, kind })] });
  const wants = [{ kind, limit: 1 }];
  const claim = { worker: 'w', claim: 1, wants, limit: 1, leaseMs: 60_000 };
  const [job] = (await making.claim(claim)).jobs;
  if (job === undefined) throw new Error('There is no job to claim.');
  return job;
}

const succeeded = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
const MAKERS: Record<string, (store: Store) => Promise<() => Promise<unknown>>> = {
  async 'that a handler enqueued'(store) {
    const settlements = [{ job: await start(), outcome: succeeded, children: [CHILD] }];
    return () => store.settle({ settlements });
  },
  async 'of a chunk'(store) {
    const lease = await start();
    const checkpoints = [{ lease, step: 1, cursor: '"Ann"', children: [CHILD] }];
    return async () => store.chunks?.checkpoint({ checkpoints, leaseMs: 60_000 });
  },
  async 'of a rule'(store) {
    const settlements = [{ job: await start('followed'), outcome: succeeded, children: [] }];
    return () => store.settle({ settlements });
  },
  async 'of a rule, after a cancel'(store) {
    const [made] = await store.enqueue({ jobs: [newJob({ ...ABOUT, kind: 'followed' })] });
    return () => store.cancel({ select: { ids: [made?.id ?? ''] } });
  },
};

it.each(Object.entries(MAKERS))('takes along the children %s', async (_, prepare) => {
  const make = await prepare(making);
  await met.other.query(
    `BEGIN; INSERT INTO millrace.keys (key, kind, tenant, seq) VALUES ('held', 'child', '', 99)`,
  );
  const made = make();
  await untilWaiting(1);
  const erased = erasing.erase({ subject: 'Ann' });
  await untilWaiting(2);
  await met.other.query('ROLLBACK');
  await made;
  expect(await erased).toBe(2);
  expect(await rows('SELECT kind, payload, cursor, key FROM millrace.jobs ORDER BY seq')).toEqual([
    expect.objectContaining({ payload: null, cursor: null, key: null }),
    { kind: 'child', payload: null, cursor: null, key: null },
  ]);
  expect(await rows('SELECT FROM millrace.keys')).toEqual([]);
});

it('takes along the children of a job that is pruned meanwhile', async () => {
  await making.enqueue({ jobs: [newJob(ABOUT)] });
  await met.other.query(`
    BEGIN;
    INSERT INTO millrace.jobs (kind, tenant, state, max_attempts, created_at, run_at, payload, subject)
    SELECT 'child', tenant, state, max_attempts, created_at, run_at, payload, subject FROM millrace.jobs;
    DELETE FROM millrace.jobs WHERE kind = 'work'`);
  const erased = erasing.erase({ subject: 'Ann' });
  await untilWaiting();
  await met.other.query('COMMIT');
  expect(await erased).toBe(1);
  expect(await rows('SELECT kind, payload, erased FROM millrace.jobs')).toEqual([
    { kind: 'child', payload: null, erased: true },
  ]);
});
