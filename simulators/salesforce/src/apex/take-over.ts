import type { Row } from '../data/row.ts';
import type { Work } from '../data/work.ts';
import { CLEARED_LEASE, type Documents, type Patch, canceled } from './documents.ts';

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
    .filter(isExpired)
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

  function putBack(row: Row): Patch {
    const attempts = documents.attemptsOf(row) + 1;
    const base: Patch = { ...CLEARED_LEASE, Attempts: attempts, ScheduledRetryTime: null };
    if (get(row, 'CancelRequested') === true) return { ...base, ...canceled(now) };
    if (attempts < (number(row, 'MaxAttempts') ?? maxAttempts))
      return { ...base, Status: 'QUEUED' };
    return {
      ...base,
      Status: 'FAILED',
      ErrorCode: 'worker_lost',
      Error: 'The worker that made this document went away.',
      FinishedAt: now,
    };
  }
}
