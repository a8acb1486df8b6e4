import type { Held } from '@millrace/engine';
import { iso } from '@millrace/workload-kit';

/** Since when something is held back, by whom and why. */
export function heldJson(
  held: Held | null,
): { since: string; by: string | null; reason: string | null } | null {
  return held === null ? null : { since: iso(held.since), by: held.by, reason: held.reason };
}
