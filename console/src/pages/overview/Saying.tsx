import { Link } from '@tanstack/react-router';
import { count, plural } from '../../time/words.ts';
import type { Overview } from './overview.ts';

/** The first thing that is read: does work flow, and does it need me? */
export function Saying({ overview }: { overview: Overview }) {
  const { attention, waiting, running, figures } = overview;
  const [first] = attention;
  const isIdle = waiting.due === 0 && running.total === 0 && figures.perMinute === 0;
  const state = sayingOf(waiting.due, running.total, figures.endedLately);
  return (
    <p className="text-lead">
      <b>{state}</b>{' '}
      <span className="text-ink-2">
        {first === undefined
          ? 'Nothing needs attention.'
          : needing(attention.length, first.count ?? 0)}
      </span>
      {isIdle && (
        <>
          {' '}
          <Link to="/welcome" className="text-link underline">
            Make a document, run a query and export a report within a minute
          </Link>
        </>
      )}
    </p>
  );
}

function sayingOf(due: number, running: number, endedLately: number): string {
  if (running > 0 || endedLately > 0) return 'Jobs are running.';
  return due > 0 ? `Nothing is running: ${plural(due, 'job')} due.` : 'Nothing to do.';
}

function needing(issues: number, jobs: number): string {
  if (issues === 1 && jobs > 0)
    return `${plural(jobs, 'job')} ${jobs === 1 ? 'needs' : 'need'} attention.`;
  if (issues === 1) return '1 issue needs attention.';
  const first = jobs > 0 ? `; the first affects ${plural(jobs, 'job')}` : '';
  return `${count(issues)} issues need attention${first}.`;
}
