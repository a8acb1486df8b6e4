import { useNow } from '../../time/now.ts';
import { plural, span } from '../../time/words.ts';
import { OwnCode } from '../../ui/own-code.tsx';
import { StateIcon, StateText } from '../../ui/state.tsx';
import { QUERY_PHASES, type QueryRun } from './phases.ts';

/** Where the run stands, with the time of each phase, and what it cost. */
export function RunStatus({ run, isChanged }: { run: QueryRun | null; isChanged: boolean }) {
  const now = useNow();
  if (run === null)
    return (
      <p className="flex-none border-y border-line bg-well px-4 py-2.5 text-ink-3">
        Not run yet. Rows appear below.
      </p>
    );
  const at = (moment: string): number => Date.parse(moment);
  const end = run.completedAt === null ? now : at(run.completedAt);
  const taken = run.pollStartedAt;
  const isOver = run.completedAt !== null;
  return (
    <div
      role="status"
      className="flex min-h-10 flex-none flex-wrap items-center gap-x-4 gap-y-1 border-y border-line bg-well px-4 py-1.5"
      style={{ '--knock': 'var(--well)' } as React.CSSProperties}
    >
      <ol className="flex flex-wrap items-center gap-x-4">
        <Phase
          word="Queued"
          isDone={taken !== null || isOver}
          time={span((taken === null ? end : at(taken)) - at(run.createdAt))}
        />
        {taken !== null && (
          <Phase word={run.mceStatus ?? 'Running'} isDone={isOver} time={span(end - at(taken))} />
        )}
        {isOver && (
          <li>
            <StateText
              phase={QUERY_PHASES[run.status]}
              word={run.status === 'ready' ? 'Ready' : run.status}
            />
          </li>
        )}
      </ol>
      {run.trouble != null && <span className="text-retrying">{run.trouble}</span>}
      {run.error !== null && (
        <span>
          <OwnCode error={run.error} /> {run.error.message}
        </span>
      )}
      <span className="ml-auto text-small text-ink-3">
        {isChanged && 'The text has changed since. '}
        {run.apiCalls.toLocaleString('en', { maximumFractionDigits: 1 })} calls,{' '}
        {plural(run.pollCount, 'poll')}
      </span>
    </div>
  );
}

function Phase({ word, isDone, time }: { word: string; isDone: boolean; time: string }) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <StateIcon phase={isDone ? 'succeeded' : 'running'} />
      {word} <span className="text-small text-ink-3">{time}</span>
    </li>
  );
}
