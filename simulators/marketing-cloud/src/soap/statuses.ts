import { serverTime } from '../data/dates.ts';
import type { FaultKind } from '../faults.ts';
import type { Properties } from './records.ts';
import type { View } from './view.ts';

/** The statuses that were found, with what the faults make of each. They are asked once for each status. */
export function withFaults(found: readonly Properties[], view: View): Properties[] {
  const { strikes, operation, unit } = view;
  const struck = (kind: FaultKind): boolean =>
    strikes.strikes(kind, { operation, mid: unit.mid }) !== null;
  const given = found.length > 1 && struck('ignores-in') ? found.slice(0, 1) : found;
  return given.flatMap((status) => {
    if (struck('unknown-task')) return [];
    const task = unit.tasks.get(status['TaskID'] ?? '');
    const changed: Record<string, string | null> = { ...status };
    if (struck('no-completed-date')) changed['CompletedDate'] = null;
    else if (task?.completedAt === null && struck('early-completed-date')) {
      changed['CompletedDate'] = serverTime(task.queuedAt);
    }
    const isFailed = task !== undefined && task.errorMessage !== '';
    if (task !== undefined && !isFailed && task.status !== 'FatalError' && struck('stays-queued')) {
      changed['Status'] = 'Queued';
      changed['CompletedDate'] = serverTime(task.queuedAt);
    }
    if (struck('no-status')) changed['Status'] = null;
    return [changed];
  });
}
