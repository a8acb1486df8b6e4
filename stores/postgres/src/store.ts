import type { Capabilities, Dependants, Hint, Store } from '@millrace/engine';
import type { Database, Statement } from './database.ts';
import { createIds } from './ids.ts';
import { createClaim } from './operations/claim.ts';
import type { Context } from './operations/context.ts';
import { enqueue } from './operations/enqueue.ts';
import { cancel, retry } from './operations/hand.ts';
import { CHANNEL, decodeHint, notify } from './operations/notify.ts';
import { pause, paused, resume } from './operations/pause.ts';
import { createPrune } from './operations/prune.ts';
import { counts, get, inspect, list } from './operations/read.ts';
import { checkpoint, renew } from './operations/renew.ts';
import { fire, schedules, syncSchedules } from './operations/schedules.ts';
import { settle } from './operations/settle.ts';
import { closeGates, erase, maintain, reportWorker, workers } from './operations/upkeep.ts';

const NOW: Statement = {
  name: 'millrace_now',
  text: `SELECT date_part('epoch', millrace.clock()) * 1000 AS now`,
};

/** The port over a database that has been migrated. */
export async function createStore(params: {
  database: Database;
  name: string;
  dependants: Dependants;
  onClose?: () => Promise<void>;
}): Promise<Store> {
  const { database, name, dependants, onClose } = params;
  const context: Context = { database, ids: createIds(name), dependants };
  const { watch, notifies, stop } = await startHints(database);
  const can: Capabilities = {
    notify: notifies,
    dependencies: true,
    checkpoint: true,
    schedules: true,
    transactions: true,
    effects: false,
  };
  return {
    name,
    can,
    async now() {
      const [row] = await database.query<{ now: number }>(NOW, []);
      return Math.round(row?.now ?? 0);
    },
    enqueue: (request) => enqueue(context, request),
    claim: createClaim(context),
    renew: (request) => renew(context, request),
    settle: (request) => settle(context, request),
    checkpoint: (request) => checkpoint(context, request),
    cancel: (request) => cancel(context, request),
    retry: (request) => retry(context, request),
    get: (request) => get(context, request),
    list: (request) => list(context, request),
    counts: () => counts(context),
    inspect: (request) => inspect(context, request),
    watch,
    pause: (request) => pause(context, request),
    resume: (request) => resume(context, request),
    paused: () => paused(context),
    syncSchedules: (request) => syncSchedules(context, request),
    schedules: () => schedules(context),
    fire: (request) => fire(context, request),
    reportWorker: (request) => reportWorker(context, request),
    workers: () => workers(context),
    prune: createPrune(context),
    closeGates: (request) => closeGates(context, request),
    erase: (request) => erase(context, request),
    maintain: () => maintain(context),
    async close() {
      await stop();
      await database.close();
      await onClose?.();
    },
  };
}

const SELF_TEST_MS = 2_000;

/**
 * One LISTEN for the process. Poolers swallow LISTEN without an error, so it is tried out at the start: a
 * message sent must come back. Otherwise the workers poll.
 */
async function startHints(
  database: Database,
): Promise<{ watch: Store['watch']; notifies: boolean; stop: () => Promise<void> }> {
  const listeners = new Set<(hint: Hint) => void>();
  const tell = (hint: Hint): void => {
    for (const listener of listeners) {
      try {
        listener(hint);
      } catch {
        // Its own affair: the others are told all the same.
      }
    }
  };
  const token = `self-test ${Math.random()}`;
  let passed: () => void = () => {};
  const selfTest = new Promise<boolean>((resolve) => {
    passed = () => resolve(true);
    setTimeout(() => resolve(false), SELF_TEST_MS).unref();
  });
  const unlisten = await database.listen(
    CHANNEL,
    (message) => {
      if (message === token) passed();
      const hint = decodeHint(message);
      if (hint !== null) tell(hint);
    },
    () => tell({ type: 'control' }),
  );
  await notify(database, token);
  const notifies = await selfTest;
  if (!notifies) await unlisten();
  return {
    notifies,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: notifies ? unlisten : () => Promise.resolve(),
  };
}
