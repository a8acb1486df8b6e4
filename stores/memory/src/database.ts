import {
  type Capabilities,
  type Dependants,
  type Hint,
  MillraceError,
  type Store,
  StoreUnavailable,
} from '@millrace/engine';
import { audit, auditEnd, auditLog } from './audit.ts';
import { claim } from './claim.ts';
import { type Transaction, createData } from './data.ts';
import { enqueue } from './enqueue.ts';
import { closeGates } from './gates.ts';
import { cancel, pause, paused, resume, retry } from './hand.ts';
import { createHintBoard } from './hints.ts';
import { type Fence, leaseHolds } from './lease.ts';
import { counts, get, inspect, list, summaries } from './queries.ts';
import { checkpoint, renew } from './renew.ts';
import { fire, schedules, syncSchedules } from './schedules.ts';
import { settle } from './settle.ts';
import { erase, prune, reportWorker, workers } from './upkeep.ts';

export interface MemoryDatabaseOptions {
  /** Milliseconds since 1970: the store has no other clock. */
  readonly now: () => number;
  /** The prefix of its job ids; `mem` by default. */
  readonly name?: string;
  readonly holds?: Fence;
}

/** Data that several handles share, as several processes share a database. */
export interface MemoryDatabase {
  open(options?: { readonly dependants?: Dependants }): Store;
}

const CAN: Capabilities = {
  notify: true,
  dependencies: true,
  checkpoint: true,
  schedules: true,
  transactions: false,
  effects: false,
  tenants: true,
  control: true,
  storeEpochs: true,
  anyText: true,
};

export function createMemoryStore(
  options: Omit<MemoryDatabaseOptions, 'holds'> & { readonly dependants?: Dependants },
): Store {
  return createMemoryDatabase(options).open(options);
}

export function createMemoryDatabase({
  now,
  name = 'mem',
  holds = leaseHolds,
}: MemoryDatabaseOptions): MemoryDatabase {
  const data = createData(name);
  const board = createHintBoard();

  function open({ dependants = () => [] }: { readonly dependants?: Dependants } = {}): Store {
    const watches = new Set<() => void>();
    let closed = false;

    /** The body is synchronous and taken back when it throws: a verb happens whole and at once, or not. */
    function run<T>(body: (tx: Transaction) => T): T {
      if (closed) throw new StoreUnavailable(`This handle of the store "${name}" is closed.`);
      const hints = board.draft();
      const answer = data.journal.atomically(() =>
        body({ data, now: now(), dependants, holds, hints }),
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
      can: CAN,
      now: async () => run((tx) => tx.now),
      async enqueue({ jobs, transaction }) {
        if (transaction !== undefined) {
          throw new MillraceError(
            'unsupported_by_store',
            `The store "${name}" cannot join a transaction: enqueue without one.`,
          );
        }
        return run((tx) => enqueue(tx, jobs));
      },
      claim: async (params) => run((tx) => claim(tx, params)),
      renew: async ({ leases, leaseMs }) => run((tx) => renew(tx, leases, leaseMs)),
      settle: async ({ settlements }) => run((tx) => settle(tx, settlements)),
      checkpoint: async ({ checkpoints, leaseMs }) =>
        run((tx) => checkpoint(tx, checkpoints, leaseMs)),
      cancel: async (selection) => run((tx) => cancel(tx, selection)),
      retry: async (selection) => run((tx) => retry(tx, selection)),
      get: async ({ id }) => run((tx) => get(tx, id)),
      list: async (params) => run((tx) => list(tx, params)),
      summaries: async ({ ids }) => run((tx) => summaries(tx, ids)),
      counts: async () => run(counts),
      inspect: async ({ id }) => run((tx) => inspect(tx, id)),
      watch,
      announce: async ({ hint }) => run((tx) => tx.hints.announce(hint)),
      pause: async (params) => run((tx) => pause(tx, params)),
      resume: async ({ kind }) => run((tx) => resume(tx, kind)),
      paused: async () => run(paused),
      syncSchedules: async (params) => run((tx) => syncSchedules(tx, params.schedules)),
      schedules: async () => run(schedules),
      fire: async (params) => run((tx) => fire(tx, params)),
      reportWorker: async (report) => run((tx) => reportWorker(tx, report)),
      workers: async () => run(workers),
      prune: async (params) => run((tx) => prune(tx, params)),
      closeGates: async ({ limit }) => run((tx) => closeGates(tx, limit)),
      erase: async ({ subject }) => run((tx) => erase(tx, subject)),
      audit: async ({ entry }) => run((tx) => audit(tx, entry)),
      auditEnd: async ({ id, end }) => run((tx) => auditEnd(tx, id, end)),
      auditLog: async (params) => run((tx) => auditLog(tx, params)),
      async close() {
        closed = true;
        for (const stop of watches) stop();
      },
    };
  }

  return { open };
}
