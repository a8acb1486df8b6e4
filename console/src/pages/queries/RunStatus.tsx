import { useNow } from '../../time/now.ts';
import { plural, span } from '../../time/words.ts';
import { OwnCode } from '../../ui/own-code.tsx';
import { type Phase as PhaseName, StateIcon, StateText } from '../../ui/state.tsx';
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
  const end = run.finishedAt === null ? now : at(run.finishedAt);
  const taken = run.startedAt;
  const isOver = run.finishedAt !== null;
  return (
    <div
      role="status"
      className="flex min-h-10 flex-none flex-wrap items-center gap-x-4 gap-y-1 border-y border-line bg-well px-4 py-1.5"
      style={{ '--knock': 'var(--well)' } as React.CSSProperties}
    >
      <ol className="flex flex-wrap items-center gap-x-4">
        <Phase
          word="Queued"
          phase={taken !== null ? 'succeeded' : isOver ? QUERY_PHASES[run.status] : 'running'}
          time={span((taken === null ? end : at(taken)) - at(run.createdAt))}
        />
        {taken !== null && (
          // Marketing Cloud's last word can be Error: how it ended is the run's own end.
          <Phase
            word={run.mceStatus ?? 'Running'}
            phase={isOver ? QUERY_PHASES[run.status] : 'running'}
            time={span(end - at(taken))}
          />
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
      {run.waitsFor != null && <span className="text-ink-2">{run.waitsFor}</span>}
      {run.trouble != null && <span className="text-retrying">{run.trouble}</span>}
      {run.error !== null && (
        <span>
          <OwnCode error={run.error} /> {run.error.message}
        </span>
      )}
      <span className="ml-auto text-small text-ink-3">
        {isChanged && 'Changed since this run. '}
        {run.apiCalls.toLocaleString('en', { maximumFractionDigits: 1 })} calls,{' '}
        {plural(run.pollCount, 'poll')}
      </span>
    </div>
  );
}

function Phase({ word, phase, time }: { word: string; phase: PhaseName; time: string }) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <StateIcon phase={phase} />
      {word} <span className="text-small text-ink-3">{time}</span>
    </li>
  );
}
