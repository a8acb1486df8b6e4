import type { Capabilities, Dependants, Store } from '@millrace/engine';
import type { Database, Statement } from './database.ts';
import { type HintOptions, startHints } from './hints.ts';
import { createIds } from './ids.ts';
import { audit, auditEnd, auditLog } from './operations/audit.ts';
import { createClaim } from './operations/claim.ts';
import type { Context } from './operations/context.ts';
import { enqueue } from './operations/enqueue.ts';
import { cancel, retry } from './operations/hand.ts';
import { maintain } from './operations/maintain.ts';
import { pause, paused, resume } from './operations/pause.ts';
import { createPrune } from './operations/prune.ts';
import { counts, get, inspect, list, summaries } from './operations/read.ts';
import { checkpoint, renew } from './operations/renew.ts';
import { fire, schedules, syncSchedules } from './operations/schedules.ts';
import { settle } from './operations/settle.ts';
import { closeGates, erase, reportWorker, workers } from './operations/upkeep.ts';

const NOW: Statement = {
  name: 'millrace_now',
  text: `SELECT date_part('epoch', millrace.clock()) * 1000 AS now`,
};

/** A store whose database others may use too: a workload keeps its own tables beside the queue. */
export interface PostgresStore extends Store {
  readonly database: Database;
}

/** The port over a database that has been migrated. */
export async function createStore(
  params: HintOptions & {
    database: Database;
    name: string;
    dependants: Dependants;
    onClose?: () => Promise<void>;
  },
): Promise<PostgresStore> {
  const { database, name, dependants, onClose } = params;
  const context: Context = { database, ids: createIds(name), dependants };
  const { watch, announce, notifies, stop } = await startHints(database, params);
  const can: Capabilities = {
    get notify() {
      return notifies();
    },
    dependencies: true,
    checkpoint: true,
    schedules: true,
    transactions: true,
    effects: false,
    tenants: true,
    control: true,
    storeEpochs: true,
    anyText: true,
  };
  return {
    name,
    can,
    database,
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
    summaries: (request) => summaries(context, request),
    counts: () => counts(context),
    inspect: (request) => inspect(context, request),
    watch,
    announce,
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
    audit: (request) => audit(context, request),
    auditEnd: (request) => auditEnd(context, request),
    auditLog: (request) => auditLog(context, request),
    maintain: () => maintain(context),
    async close() {
      await stop();
      try {
        await database.close();
      } finally {
        await onClose?.();
      }
    },
  };
}
