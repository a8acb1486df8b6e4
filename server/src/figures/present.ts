import type { Clock, ControlPart, Count, ScheduleStatus } from '@millrace/engine';
import type { Replica } from '@millrace/api';
import type { Figures, WaitingSubqueue } from '@millrace/store-postgres';
import { replicasForAll } from '../live/boards/replicas.ts';
import type { MainStore } from '../stores/parts.ts';
import { createKept } from './kept.ts';
import { type PoolNow, poolsOf } from './pools.ts';

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
  const kept = createKept(clock);
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
