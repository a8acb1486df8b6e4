import type {
  AmendPart,
  ChunkPart,
  ControlPart,
  Dependants,
  FollowerPart,
  Keeps,
  RearrangePart,
  SchedulePart,
  Store,
  UpkeepPart,
} from '@millrace/engine';
import type { Database, Statement } from './database.ts';
import { type HintOptions, startHints } from './hints.ts';
import { type Figures, createTallyPoint } from './figures.ts';
import { createIds } from './ids.ts';
import { createAmend } from './operations/amend.ts';
import { auditBegin, auditEnd, auditLog, auditNote, auditPrune } from './operations/audit.ts';
import { createBulkLog } from './operations/bulk.ts';
import { CLAIM_NOTHING, createClaim } from './operations/claim/claim.ts';
import type { Context } from './operations/context.ts';
import { ENQUEUE_NOTHING, enqueue } from './operations/enqueue.ts';
import { figuresOf } from './operations/figures/figures.ts';
import { cancel, retry } from './operations/hand.ts';
import { pause, paused, resume, steer, steered } from './operations/pause.ts';
import { createRearrange } from './operations/rearrange.ts';
import { createPrune } from './operations/prune.ts';
import { children, counts, get, inspect, list, summaries } from './operations/read.ts';
import { checkpoint, renew } from './operations/renew.ts';
import {
  fire,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  schedules,
  syncSchedules,
} from './operations/schedules.ts';
import { takeName } from './operations/names.ts';
import { erase } from './operations/erase.ts';
import { createSaved } from './operations/saved.ts';
import { settle } from './operations/settle.ts';
import { SUCCEED_NOTHING } from './operations/succeed.ts';
import { maintain } from './operations/maintain.ts';
import { closeGates, openGates, reportWorker, workers } from './operations/upkeep.ts';
import type { Announcements, AuditLog, BulkLog, Names, SavedThings } from './service.ts';

const NOW: Statement = {
  name: 'millrace_now',
  text: `SELECT date_part('epoch', millrace.clock()) * 1000 AS now`,
};

/** A store whose database others may use too: the server and the workloads keep their own beside the queue. */
export interface PostgresStore extends Store {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly names: Names;
  readonly bulk: BulkLog;
  readonly saved: SavedThings;
  readonly announcements: Announcements;
  readonly figures: Figures;
  readonly enqueueIn: NonNullable<Store['enqueueIn']>;
  readonly chunks: ChunkPart;
  readonly followers: FollowerPart;
  readonly schedules: SchedulePart;
  readonly control: ControlPart;
  readonly upkeep: UpkeepPart;
  readonly amend: AmendPart;
  readonly rearrange: RearrangePart;
}

const KEEPS: Keeps = { tenants: true, effects: false, executions: true, logs: true };

/**
 * From so many jobs on a claim shares one lease. Fewer jobs cost as much with leases of their own
 * (docs/decisions/0014), and need not wait for each other.
 */
const SHARE_LEASE_FROM = 32;

/** The port over a database that has been migrated. */
export async function createStore(
  params: HintOptions & {
    database: Database;
    name: string;
    dependants: Dependants;
    shareLeaseFrom?: number;
  },
): Promise<PostgresStore> {
  const { database, name, dependants } = params;
  const { shareLeaseFrom = SHARE_LEASE_FROM } = params;
  const tally = createTallyPoint();
  const context: Context = { database, ids: createIds(name), dependants, shareLeaseFrom, tally };
  database.warmUp?.([CLAIM_NOTHING, SUCCEED_NOTHING, ENQUEUE_NOTHING]);
  const { watch, announcements, stop } = await startHints(database, params);
  return {
    name,
    keeps: KEEPS,
    database,
    async now() {
      const [row] = await database.query<{ now: number }>(NOW, []);
      return Math.round(row?.now ?? 0);
    },
    enqueue: (request) => enqueue(context, database, request),
    enqueueIn: (transaction, request) => enqueue(context, database.join(transaction), request),
    claim: createClaim(context),
    renew: (request) => renew(context, request),
    settle: (request) => settle(context, request),
    cancel: (request) => cancel(context, request),
    retry: (request) => retry(context, request),
    erase: (request) => erase(context, request),
    get: (request) => get(context, request),
    list: (request) => list(context, request),
    summaries: (request) => summaries(context, request),
    counts: () => counts(context),
    inspect: (request) => inspect(context, request),
    watch,
    chunks: { checkpoint: (request) => checkpoint(context, request) },
    followers: {
      closeGates: (request) => closeGates(context, request),
      children: (request) => children(context, request),
      gates: (request) => openGates(context, request),
    },
    schedules: {
      sync: (request) => syncSchedules(context, request),
      all: () => schedules(context),
      fire: (request) => fire(context, request),
      pause: (request) => pauseSchedule(context, request),
      resume: (request) => resumeSchedule(context, request),
      remove: (request) => removeSchedule(context, request),
    },
    control: {
      pause: (request) => pause(context, request),
      resume: (request) => resume(context, request),
      paused: () => paused(context),
      reportWorker: (request) => reportWorker(context, request),
      workers: () => workers(context),
      steer: (request) => steer(context, request),
      steered: () => steered(context),
    },
    upkeep: { prune: createPrune(context), maintain: () => maintain(context) },
    amend: createAmend(context),
    rearrange: createRearrange(context),
    audit: {
      begin: (request) => auditBegin(context, request),
      note: (request) => auditNote(context, request),
      end: (request) => auditEnd(context, request),
      list: (request) => auditLog(context, request),
      prune: (request) => auditPrune(context, request),
    },
    bulk: createBulkLog(context),
    saved: createSaved(context),
    figures: figuresOf(context, tally.listen),
    names: { take: (request) => takeName(context, request) },
    announcements,
    async close() {
      await stop();
      await database.close();
    },
  };
}
