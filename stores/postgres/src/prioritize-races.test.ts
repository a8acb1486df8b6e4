import type { ClaimedJob, NewJob } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { beforeEach, expect, it } from 'vitest';
import { meeting } from '../test/meeting.ts';
import type { PostgresStore } from './index.ts';

/**
 * A job whose priority is changed while it is claimed, step by step. The statement of a claim sees the queue as it was when it began,
 * and passes over what others hold at this moment. So the other priority has to be committed between the two: the claim
 * is held where it asks for the time, before it locks its first job.
 */

const met = meeting();
const { open, untilWaiting } = met;
let claiming: PostgresStore;
let changing: PostgresStore;
beforeEach(async () => {
  [claiming, changing] = [await open(), await open()];
});

const GATE = 23;

// VOLATILE, so that it is asked for each row of what waits for its moment, and never while the statement is planned.
const HELD_CLOCK = `
SELECT pg_advisory_lock(${GATE});
CREATE OR REPLACE FUNCTION millrace.clock() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS
$$ BEGIN PERFORM pg_advisory_xact_lock_shared(${GATE}); RETURN now(); END $$`;

let claims = 0;
async function claim(store: PostgresStore, limit = 100): Promise<ClaimedJob[]> {
  claims += 1;
  const wants = [{ kind: 'work', limit }];
  return (await store.claim({ worker: 'w', claim: claims, wants, limit, leaseMs: 60_000 })).jobs;
}

const LATER: Partial<NewJob> = { kind: 'later', due: { afterMs: 3_600_000 } };

it.each([
  ['one subqueue', ['']],
  ['several subqueues', ['a', 'b']],
])('of %s is claimed once', async (_, tenants) => {
  const jobs = tenants.map((tenant) => newJob({ tenant, priority: 9 }));
  await claiming.enqueue({ jobs });
  await claim(claiming); // from here on it knows how many subqueues there are
  const made = await claiming.enqueue({ jobs: [...jobs, newJob(LATER)] });
  const ids = made.slice(0, -1).map(({ id }) => id);
  await changing.now(); // the first statements of a connection ask for the time
  await met.other.query(HELD_CLOCK);
  const early = claim(claiming);
  await untilWaiting();
  // Behind its place, where a claim that has passed the old one still looks.
  expect(await changing.rearrange.prioritize({ ids, priority: 1 })).toHaveLength(ids.length);
  await met.other.query(`SELECT pg_advisory_unlock(${GATE})`);
  const claimed = [...(await early), ...(await claim(changing))];
  expect(claimed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});
