import {
  type ClaimedJob,
  type JobState,
  type Move,
  STATES,
  type Store,
  canMove,
  nextState,
} from '@millrace/engine';
import { expect } from 'vitest';
import { OUTCOMES, PAST_LEASE_MS, claimAll, settle, start, wants } from '../../build.ts';
import type { Section, World } from '../../harness.ts';
import { stateOf } from '../../observe.ts';

/** Take-over last: it needs the clock, which would end the other jobs' leases too. */
const MOVES: readonly Move[] = [
  'claim',
  'succeed',
  'fail',
  'retry',
  'defer',
  'handBack',
  'cancel',
  'requeue',
  'takeOver',
];

const WAY_TO = {
  QUEUED: OUTCOMES.handBack,
  PROCESSING: null,
  SUCCEEDED: OUTCOMES.succeed,
  FAILED: OUTCOMES.fail,
  CANCELED: OUTCOMES.cancel,
} as const;

export const moves: Section = {
  title: 'the transition table',
  checks(check) {
    for (const state of STATES) {
      check(`a job that is ${state} makes the moves of the table and no others`, async (world) => {
        for (const move of MOVES) {
          const job = await jobIn(world.store, state, move);
          expect(await stateOf(world.store, job.id)).toBe(state);
          await attempt(world, job, move, state);
          const expected = canMove(state, move) ? nextState(state, move) : state;
          expect(await stateOf(world.store, job.id), `${state}: ${move}`).toBe(expected);
        }
      });
    }
  },
};

/** A job of a kind of its own, with the lease it has or last had. */
async function jobIn(store: Store, state: JobState, move: Move): Promise<ClaimedJob> {
  const job = await start(store, { kind: `for-${move}` });
  const outcome = WAY_TO[state];
  if (outcome !== null) await settle(store, job, outcome);
  return job;
}

async function attempt(world: World, job: ClaimedJob, move: Move, from: JobState): Promise<void> {
  const { store } = world;
  switch (move) {
    case 'claim':
      return void (await claimAll(store, { wants: wants(job.kind) }));
    case 'requeue':
      return void (await store.retry({ select: { ids: [job.id] } }));
    case 'takeOver':
      await world.advance(PAST_LEASE_MS);
      return void (await claimAll(store, { wants: wants('none') }));
    case 'cancel':
      // By hand a running job is only asked to stop: its worker makes the move.
      if (from !== 'PROCESSING') return void (await store.cancel({ select: { ids: [job.id] } }));
  }
  await settle(store, job, OUTCOMES[move]);
}
