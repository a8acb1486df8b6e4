import { Link } from '@tanstack/react-router';
import { count, plural } from '../../time/words.ts';
import type { Overview } from './overview.ts';

/** The first thing that is read: does work flow, and does it need me? */
export function Saying({ overview }: { overview: Overview }) {
  const { attention, waiting, running, figures } = overview;
  const [first] = attention;
  const held = first?.count ?? 0;
  const isIdle = waiting.due === 0 && running.total === 0 && figures.perMinute === 0;
  const state = sayingOf(waiting.due, running.total, figures.endedLately);
  return (
    <p className="text-lead">
      <b>{state}</b>{' '}
      <span className="text-ink-2">
        {first === undefined
          ? 'Nothing needs attention.'
          : `${attention.length === 1 ? 'One thing needs' : `${countWord(attention.length)} things need`} attention${held > 0 ? `; the first concerns ${plural(held, 'job')}` : ''}.`}
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
  if (running > 0 || endedLately > 0) return 'Work is flowing.';
  return due > 0 ? `Work stands still: ${count(due)} due, none running.` : 'Nothing to do.';
}

const WORDS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];

function countWord(value: number): string {
  return WORDS[value] ?? count(value);
}
