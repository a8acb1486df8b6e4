import { type Count, type Scope, hasTenant } from '@millrace/engine';
import type { Overview } from '@millrace/api';
import type { WaitingLane } from '@millrace/store-postgres';
import type { Present } from './present.ts';

/** Waiting jobs by reason: the four parts add up to the total. */
export function waitingOf(
  { at, counts, lanes, paused }: Pick<Present, 'at' | 'counts' | 'lanes' | 'paused'>,
  includes: (of: { readonly kind: string; readonly tenant: string }) => boolean,
): Overview['waiting'] {
  const isHeld = heldKinds(paused);
  let [total, later, held, retrying] = [0, 0, 0, 0];
  for (const { kind, tenant, state, count, scheduled } of counts) {
    if (state !== 'QUEUED' || !includes({ kind, tenant })) continue;
    total += count;
    later += scheduled;
    if (isHeld(kind)) held += count - scheduled;
  }
  let oldest: number | null = null;
  for (const lane of lanes) {
    if (!includes(lane)) continue;
    retrying += lane.retrying;
    if (!isHeld(lane.kind)) oldest = earliest(oldest, lane);
  }
  // The two are counted a moment apart.
  retrying = Math.min(retrying, later);
  return {
    total,
    due: total - later - held,
    retrying,
    scheduled: later - retrying,
    held,
    oldestDueSeconds: oldest === null ? null : Math.max(0, Math.round((at - oldest) / 1_000)),
  };
}

export function heldKinds(paused: Present['paused']): (kind: string) => boolean {
  const kinds = new Set(paused.map(({ kind }) => kind));
  return (kind) => kinds.has(kind);
}

function earliest(before: number | null, { oldestDueAt }: WaitingLane): number | null {
  if (before === null || oldestDueAt === null) return before ?? oldestDueAt;
  return Math.min(before, oldestDueAt);
}

export function runningOf(counts: readonly Count[], scope: Scope): number {
  return counts.reduce(
    (sum, { state, tenant, count }) =>
      state === 'PROCESSING' && hasTenant(scope, tenant) ? sum + count : sum,
    0,
  );
}
