import {
  type Clock,
  type ControlPart,
  type Count,
  type KnownWorker,
  SILENT_AFTER_MS,
  type ScheduleStatus,
} from '@millrace/engine';
import type { Replica } from '@millrace/api';
import type { Figures, WaitingSubqueue } from '@millrace/store-postgres';
import { replicasForAll } from '../live/boards/replicas.ts';
import type { MainStore } from '../stores/parts.ts';
import { createSharedCache } from './shared-cache.ts';
import { z } from 'zod';
import { slotsOf } from './held.ts';

/** How everything is now, of all tenants: read once for all who ask within a second. */
export interface Present {
  readonly at: number;
  readonly counts: readonly Count[];
  readonly subqueues: readonly WaitingSubqueue[];
  readonly paused: readonly Pause[];
  readonly replicas: readonly Replica[];
  readonly pools: readonly PoolNow[];
  readonly schedules: readonly ScheduleStatus[];
}

export type Pause = Awaited<ReturnType<ControlPart['paused']>>[number];

const FOR_MS = 1_000;

export function createPresent(params: {
  store: Pick<MainStore, 'name' | 'now' | 'counts' | 'control' | 'schedules'>;
  figures: Pick<Figures, 'waiting'>;
  clock: Clock;
}): () => Promise<Present> {
  const { store, figures, clock } = params;
  const kept = createSharedCache(clock);
  const read = async (): Promise<Present> => {
    const [at, counts, subqueues, paused, shown, workers, schedules] = await Promise.all([
      store.now(),
      store.counts(),
      figures.waiting(),
      store.control.paused(),
      replicasForAll(store),
      store.control.workers(),
      store.schedules.all(),
    ]);
    const pools = poolsOf(workers, at, store.name);
    return { at, counts, subqueues, paused, replicas: shown, pools, schedules };
  };
  return () => kept.answer('present', FOR_MS, read);
}

/** A pool over all replicas that work. */
interface PoolNow {
  readonly name: string;
  readonly inFlight: number;
  readonly slots: number;
}

/** Parses reports of replicas, perhaps of another version; unreadable parts are left out. */
const reported = z.object({
  state: z.string(),
  store: z.string().optional(),
  inFlight: z.number().default(0),
  pools: z.array(
    z.object({
      name: z.string(),
      concurrency: z.number(),
      inFlight: z.number(),
      kinds: z.array(z.string()).default([]),
    }),
  ),
});

/** `store`: whose workers these are. */
function poolsOf(workers: readonly KnownWorker[], now: number, store: string): PoolNow[] {
  const pools = new Map<string, PoolNow>();
  for (const worker of workers) {
    const status = reported.safeParse(jsonOf(worker.stats)).data;
    if (status === undefined || now - worker.seenAt > SILENT_AFTER_MS || status.state === 'stopped')
      continue;
    for (const { name, concurrency, inFlight } of slotsOf(status, worker, store).pools) {
      const before = pools.get(name) ?? { name, inFlight: 0, slots: 0 };
      pools.set(name, {
        name,
        inFlight: before.inFlight + inFlight,
        slots: before.slots + concurrency,
      });
    }
  }
  return [...pools.values()];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
