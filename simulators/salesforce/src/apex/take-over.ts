import type { Row } from '../data/row.ts';
import type { Work } from '../data/work.ts';
import { CLEARED_LEASE, type Documents, LIVE, type Patch, canceled } from './documents.ts';

const MOST_ROWS = 200;

export interface Lost {
  readonly id: string;
  readonly kind: string | null;
  readonly attempt: number;
  readonly correlationId: string | null;
}

export interface TakenOver {
  /** Rows that had no attempt left and are FAILED now. */
  readonly lost: readonly Lost[];
  /** Rows that are QUEUED again, or CANCELED. */
  readonly count: number;
}

/** Puts back what vanished workers left: PROCESSING with a lease that has run out, of every kind. */
export async function takeOver(
  documents: Documents,
  work: Work,
  maxAttempts: number,
  now: number,
): Promise<TakenOver> {
  const { object, text, number, get } = documents;
  const until = (row: Row): number => number(row, 'LockedUntil') ?? Infinity;
  const isExpired = (row: Row): boolean => text(row, 'Status') === 'PROCESSING' && until(row) < now;
  const candidates = [...work.tx.rows(object)]
    .filter((row) => text(row, 'Live') === LIVE && isExpired(row))
    .toSorted((a, b) => until(a) - until(b))
    .slice(0, MOST_ROWS);
  const rows = await documents.lockedOrNone(
    work,
    candidates.map(({ Id }) => Id),
  );

  const patches = new Map<string, Patch>();
  for (const row of rows.values()) if (isExpired(row)) patches.set(row.Id, putBack(row));
  const failures = await documents.save(work, patches);
  const saved = [...patches].filter(([id]) => !failures.has(id));
  const lost = saved.flatMap(([id, patch]) => {
    const row = rows.get(id);
    if (row === undefined || patch.Status !== 'FAILED') return [];
    const attempt = documents.attemptsOf(row) + 1;
    return [{ id, kind: text(row, 'Kind'), attempt, correlationId: text(row, 'CorrelationId') }];
  });
  return { lost, count: saved.length - lost.length };

  /**
   * Begun is what was renewed, which empties ClaimId, and what Apex leased to a call of its own, which has none. The
   * attempt of the others is given back. A suspect was alone on its worker; another may have been a neighbour.
   */
  function putBack(row: Row): Patch {
    const isBegun = text(row, 'ClaimId') === null;
    const most = number(row, 'MaxAttempts') ?? maxAttempts;
    const attempts = documents.attemptsOf(row) + (isBegun ? 1 : 0);
    const base: Patch = { ...CLEARED_LEASE, Attempts: attempts, ScheduledRetryTime: null };
    if (get(row, 'CancelRequested') === true) return { ...base, ...canceled(now) };
    if (!isBegun || get(row, 'Suspect') !== true || attempts < most)
      return { ...base, Attempts: Math.min(attempts, most - 1), Status: 'QUEUED', Suspect: true };
    return {
      ...base,
      Status: 'FAILED',
      Suspect: false,
      ErrorCode: 'worker_lost',
      Error: lostText(text(row, 'Worker'), attempts),
      FinishedAt: now,
    };
  }
}

/** No more than is known: nobody was there to see why. */
function lostText(worker: string | null, attempt: number): string {
  return (
    `The worker ${worker ?? ''} stopped renewing its lease during execution ${attempt}: it died, froze or was cut ` +
    'off. The document may be the cause (memory, a crash): look at the log of the worker before you try it again.'
  );
}
