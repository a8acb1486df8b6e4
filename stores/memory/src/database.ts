import {
  type AmendPart,
  type ChunkPart,
  type ControlPart,
  type Dependants,
  type FollowerPart,
  type Hint,
  type Keeps,
  type RearrangePart,
  type SchedulePart,
  type Store,
  StoreUnavailable,
  type UpkeepPart,
} from '@millrace/engine';
import { claim } from './claim.ts';
import { type Transaction, createData } from './data.ts';
import { enqueue } from './enqueue.ts';
import { erase } from './erase.ts';
import { closeGates, openGates } from './gates.ts';
import {
  cancel,
  pause,
  paused,
  prioritize,
  removeEnded,
  restore,
  resume,
  retry,
  retryWith,
  steer,
  steered,
} from './hand.ts';
import { createHintBoard } from './hints.ts';
import { type Fence, leaseHolds } from './fence.ts';
import { children, counts, get, inspect, list, summaries } from './queries.ts';
import { checkpoint, renew } from './renew.ts';
import {
  fire,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  schedules,
  syncSchedules,
} from './schedules.ts';
import { type Peek, createPeek } from './peek.ts';
import { settle } from './settle.ts';
import { createTurns } from './turns.ts';
import { prune, reportWorker, workers } from './upkeep.ts';

export interface MemoryDatabaseOptions {
  /** Milliseconds since 1970: the store has no other clock. */
  readonly now: () => number;
  /** The prefix of its job ids; `mem` by default. */
  readonly name?: string;
  readonly holds?: Fence;
}

/** A store with every part but `enqueueIn`: there is no transaction to join. */
export interface MemoryStore extends Store {
  readonly chunks: ChunkPart;
  readonly followers: FollowerPart;
  readonly schedules: SchedulePart;
  readonly control: ControlPart;
  readonly upkeep: UpkeepPart;
  readonly amend: AmendPart;
  readonly rearrange: RearrangePart;
}

/** Data that several handles share, as several processes share a database. */
export interface MemoryDatabase {
  readonly peek: Peek;
  open(options?: { readonly dependants?: Dependants }): MemoryStore;
  /** Copies the data; the returned function restores it, as a fail-over does that loses the commits since. */
  snapshot(): () => void;
}

const KEEPS: Keeps = { tenants: true, effects: false, executions: true, logs: true };

export function createMemoryStore(
  options: Omit<MemoryDatabaseOptions, 'holds'> & { readonly dependants?: Dependants },
): MemoryStore {
  return createMemoryDatabase(options).open(options);
}

export function createMemoryDatabase({
  now,
  name = 'mem',
  holds = leaseHolds,
}: MemoryDatabaseOptions): MemoryDatabase {
  const data = createData(name);
  const board = createHintBoard();

  function open({ dependants = () => [] }: { readonly dependants?: Dependants } = {}): MemoryStore {
    const turns = createTurns();
    const watches = new Set<() => void>();
    let closed = false;

    /** The body is synchronous and taken back when it throws: a verb happens whole and at once, or not. */
    function run<T>(body: (tx: Transaction) => T): T {
      if (closed) throw new StoreUnavailable(`This handle of the store "${name}" is closed.`);
      const hints = board.draft();
      const answer = data.journal.atomically(() =>
        body({ data, now: now(), dependants, holds, hints, turns }),
      );
      hints.publish();
      return answer;
    }

    function watch(listener: (hint: Hint) => void): () => void {
      const stop = board.watch(listener);
      watches.add(stop);
      return () => {
        stop();
        watches.delete(stop);
      };
    }

    return {
      name,
      keeps: KEEPS,
      now: async () => run((tx) => tx.now),
      enqueue: async ({ jobs }) => run((tx) => enqueue(tx, jobs)),
      claim: async (params) => run((tx) => claim(tx, params)),
      renew: async ({ leases, leaseMs }) => run((tx) => renew(tx, leases, leaseMs)),
      settle: async ({ settlements }) => run((tx) => settle(tx, settlements)),
      cancel: async (selection) => run((tx) => cancel(tx, selection)),
      retry: async (selection) => run((tx) => retry(tx, selection)),
      erase: async ({ subject }) => run((tx) => erase(tx, subject)),
      get: async ({ id }) => run((tx) => get(tx, id)),
      list: async (params) => run((tx) => list(tx, params)),
      summaries: async ({ ids }) => run((tx) => summaries(tx, ids)),
      counts: async () => run(counts),
      inspect: async ({ id }) => run((tx) => inspect(tx, id)),
      watch,
      chunks: {
        checkpoint: async ({ checkpoints, leaseMs }) =>
          run((tx) => checkpoint(tx, checkpoints, leaseMs)),
      },
      followers: {
        closeGates: async ({ limit }) => run((tx) => closeGates(tx, limit)),
        children: async (params) => run((tx) => children(tx, params)),
        gates: async (params) => run((tx) => openGates(tx, params)),
      },
      schedules: {
        sync: async (params) => run((tx) => syncSchedules(tx, params.schedules)),
        all: async () => run(schedules),
        fire: async (params) => run((tx) => fire(tx, params)),
        pause: async (params) => run((tx) => pauseSchedule(tx, params)),
        resume: async ({ name: schedule }) => run((tx) => resumeSchedule(tx, schedule)),
        remove: async ({ name: schedule }) => run((tx) => removeSchedule(tx, schedule)),
      },
      control: {
        pause: async (params) => run((tx) => pause(tx, params)),
        resume: async ({ kind }) => run((tx) => resume(tx, kind)),
        paused: async () => run(paused),
        reportWorker: async (report) => run((tx) => reportWorker(tx, report)),
        workers: async () => run(workers),
        steer: async (params) => run((tx) => steer(tx, params)),
        steered: async () => run(steered),
      },
      upkeep: {
        prune: async (params) => run((tx) => prune(tx, params)),
        maintain: async () => run(() => {}),
      },
      amend: {
        retryWith: async (params) => run((tx) => retryWith(tx, params)),
        remove: async ({ id }) => run((tx) => removeEnded(tx, id)),
      },
      rearrange: {
        prioritize: async (params) => run((tx) => prioritize(tx, params)),
        restore: async ({ ids }) => run((tx) => restore(tx, ids)),
      },
      async close() {
        closed = true;
        for (const stop of watches) stop();
      },
    };
  }

  return { open, snapshot: () => data.snapshot(), peek: createPeek(data, now) };
}
