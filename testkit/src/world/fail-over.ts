import type { MemoryDatabase } from '@millrace/store-memory';
import type { Executions } from '../observe/executions.ts';
import type { FaultCounts } from './link.ts';
import type { Observation } from '../observe/observation.ts';
import type { VirtualTime } from '../time/virtual-clock.ts';

/**
 * A database that falls back to a copy which lacks the last commits: jobs, leases and settlements of the time between are
 * gone for the store, while their workers live on with what they were told. Numbers and epochs come again.
 */
export interface FailOver {
  /** All commits of the coming time are lost at its end, unless the calm has come by then. */
  begin(lostMs: number, isCalm: () => boolean): void;
  /** True time; -Infinity before the first. */
  readonly lastAt: number;
}

export function createFailOver(params: {
  database: MemoryDatabase;
  seen: Observation;
  executions: Executions;
  time: VirtualTime;
  counts: FaultCounts;
}): FailOver {
  const { database, seen, executions, time, counts } = params;
  let lastAt = -Infinity;
  let isUnderWay = false;

  function begin(lostMs: number, isCalm: () => boolean): void {
    // One at a time: what one has undone, the next must not bring back.
    if (isUnderWay) return;
    isUnderWay = true;
    const parts = [database, seen.ledger, seen.followUps, seen.ticks];
    const restores = parts.map((part) => part.snapshot());
    time.after(lostMs, () => {
      isUnderWay = false;
      if (isCalm()) return;
      counts.failOver += 1;
      lastAt = time.now();
      seen.trace.add('world', `fails over, the last ${Math.round(lostMs)} ms are lost`);
      executions.failOver();
      for (const restore of restores) restore();
    });
  }

  return {
    begin,
    get lastAt() {
      return lastAt;
    },
  };
}
