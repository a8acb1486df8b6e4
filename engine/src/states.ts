import { MillraceError } from './errors.ts';

export const FINISHED_STATES = ['SUCCEEDED', 'FAILED', 'CANCELED'] as const;
/**
 * The one list. Types, Zod enums and lists elsewhere are made from it; what cannot import it (the API's contract, the command
 * line, Apex, the picklist, the components, the documentation) is held against it by docs/tables.test.ts, and the SQL of a
 * store by the section `moves` of its contract.
 */
export const STATES = ['QUEUED', 'PROCESSING', ...FINISHED_STATES] as const;
export type JobState = (typeof STATES)[number];
export type FinishedState = (typeof FINISHED_STATES)[number];

/** Everything that can happen to a job. `requeue` is a person's retry; `retry` is the policy's. */
export type Move =
  | 'claim'
  | 'succeed'
  | 'fail'
  | 'retry'
  | 'defer'
  | 'handBack'
  | 'takeOver'
  | 'cancel'
  | 'requeue';

/** The one transition table. A move that is not here is refused. */
export const TRANSITIONS: Readonly<Record<JobState, Readonly<Partial<Record<Move, JobState>>>>> = {
  QUEUED: { claim: 'PROCESSING', cancel: 'CANCELED' },
  PROCESSING: {
    succeed: 'SUCCEEDED',
    fail: 'FAILED',
    cancel: 'CANCELED',
    retry: 'QUEUED',
    defer: 'QUEUED',
    handBack: 'QUEUED',
    takeOver: 'QUEUED',
  },
  SUCCEEDED: {},
  FAILED: { cancel: 'CANCELED', requeue: 'QUEUED' },
  CANCELED: { requeue: 'QUEUED' },
};

export function canMove(from: JobState, move: Move): boolean {
  return TRANSITIONS[from][move] !== undefined;
}

export function nextState(from: JobState, move: Move): JobState {
  const to = TRANSITIONS[from][move];
  if (to === undefined) {
    throw new MillraceError(
      'illegal_transition',
      `A job that is ${from} cannot ${move}. Look at the job again: someone else may have moved it.`,
    );
  }
  return to;
}

/** The states a move may start from: stores use it to select rows. */
export function statesBefore(move: Move): JobState[] {
  return STATES.filter((state) => canMove(state, move));
}

export function isFinished(state: JobState): state is FinishedState {
  return (FINISHED_STATES as readonly JobState[]).includes(state);
}
