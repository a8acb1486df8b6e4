import { Link } from '@tanstack/react-router';
import { count } from '../time/words.ts';

/** Notches where something happens: warn, critical, scale out (the seeds' thresholds, docs/operations). */
export const NOTCHES = [100, 500, 1_000] as const;
/** The right end of the scale. */
const TOP = 2_000;

/** Logarithmic: 3 and 30 differ as much to an operator as 300 and 3,000. */
export function levelOf(waiting: number): number {
  return Math.min(1, Math.log1p(waiting) / Math.log1p(TOP));
}

interface Counts {
  readonly states: Readonly<Partial<Record<string, number>>>;
  readonly scheduled: number;
}

/** Waiting jobs, at the foot of the navigation on every page. */
export function Level({ counts }: { counts: Counts | null }) {
  const queued = counts?.states['QUEUED'] ?? 0;
  const later = counts?.scheduled ?? 0;
  const due = queued - later;
  return (
    <Link
      to="/jobs"
      search={{ state: 'QUEUED' }}
      className="mb-2 block rounded-node border border-line bg-surface px-2.5 pt-2.5 pb-2.25 hover:border-line-strong"
    >
      <span className="flex items-baseline justify-between text-small text-ink-2">
        Waiting <b className="text-lead text-ink">{counts === null ? '–' : count(queued)}</b>
      </span>
      <span
        className="relative my-1.5 block h-1.75 overflow-hidden rounded-token bg-press"
        role="img"
        aria-label={`${count(queued)} waiting; warning over 100, critical over 500`}
      >
        <i
          className="absolute inset-y-0 left-0 rounded-l-token bg-linear-to-r from-water-2 to-water-1 transition-[width] duration-240"
          style={{ width: `${100 * levelOf(queued)}%` }}
        />
        {NOTCHES.map((notch) => (
          <b
            key={notch}
            className="absolute inset-y-0 w-0.5 bg-surface"
            style={{ left: `${100 * levelOf(notch)}%` }}
          />
        ))}
      </span>
      <span className="flex justify-between text-axis text-ink-3">
        <span>{count(due)} due</span>
        <span>{count(later)} later</span>
      </span>
    </Link>
  );
}
