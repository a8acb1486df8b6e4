import { type Count, type Scope, hasTenant } from '@millrace/engine';
import type { Overview } from '@millrace/api';
import type { WaitingSubqueue } from '@millrace/store-postgres';
import type { Present } from './present.ts';

/** Waiting jobs by reason: the four parts add up to the total. */
export function waitingOf(
  { at, counts, subqueues, paused }: Pick<Present, 'at' | 'counts' | 'subqueues' | 'paused'>,
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
  for (const subqueue of subqueues) {
    if (!includes(subqueue)) continue;
    retrying += subqueue.retrying;
    if (!isHeld(subqueue.kind)) oldest = earliest(oldest, subqueue);
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

function earliest(before: number | null, { oldestDueAt }: WaitingSubqueue): number | null {
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
