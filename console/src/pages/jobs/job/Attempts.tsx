import { useState } from 'react';
import { useSetting } from '../../../theme/settings.ts';
import { useNow } from '../../../time/now.ts';
import { plural, span } from '../../../time/words.ts';
import { clock } from '../../../time/zone.ts';
import { type Phase, StateIcon } from '../../../ui/state.tsx';
import { AttemptDetail } from './AttemptDetail.tsx';
import type { Execution, Job } from './job.ts';
import { type Bar, timeline } from './timeline.ts';

const PHASES: Readonly<Record<Execution['outcome'], Phase>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  retried: 'failed',
  canceled: 'canceled',
  lost: 'canceled',
};

const FILLS: Readonly<Record<Bar['of'], string>> = {
  waiting: 'bg-queued-fill',
  run: 'bg-water-1',
  running: 'hatched-running',
  lost: 'hatched-canceled',
  backoff: 'hatched-retrying',
};

const ROW =
  'grid grid-cols-[128px_minmax(0,1fr)] items-center border-b border-line-soft last:border-0 max-md:grid-cols-[84px_minmax(0,1fr)]';

/** All attempts on one time axis: what ran, what waited to be tried again, what was lost with its worker. */
export function Attempts({ job }: { job: Job }) {
  const now = useNow();
  const { rows, ticks, now: nowAt } = timeline(job, now);
  const zone = useSetting('time') === 'utc' ? 'utc' : 'local';
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = chosen ?? job.executions.length - 1;
  const execution = job.executions[shown];
  if (rows.length === 0) return null;
  return (
    <section>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-2">
        <h2>Executions</h2>
        <span className="text-ink-3">
          {job.executions.length === 0
            ? `${plural(job.attempt, 'attempt')} of ${job.maxAttempts}; none failed`
            : `${plural(job.executions.length, 'execution')} kept; attempt ${job.attempt} of ${job.maxAttempts}`}
        </span>
      </div>
      <ul className="overflow-hidden rounded-node border border-line">
        <li aria-hidden="true" className={`${ROW} bg-well text-axis text-ink-3`}>
          <span />
          <div className="relative h-6">
            {ticks.map(({ at, place }) => (
              <span
                key={at}
                className={`absolute top-1 pl-1 whitespace-nowrap max-md:not-nth-[3n+1]:hidden ${isFree(place, nowAt, ON_PHONE) ? '' : 'max-md:hidden'}`}
                style={{ left: `${100 * place}%`, opacity: isFree(place, nowAt, WIDE) ? 1 : 0 }}
              >
                {clock(at, now, zone).slice(-8)}
              </span>
            ))}
            {nowAt !== null && (
              <b
                className="absolute top-0.5 -translate-x-1/2 rounded-token bg-ink px-1 font-semibold text-surface"
                style={{ left: `${100 * nowAt}%` }}
              >
                now
              </b>
            )}
          </div>
        </li>
        {rows.map((row) => (
          <li key={row.label} className={ROW}>
            <RowName
              row={row}
              execution={row.execution === null ? null : (job.executions[row.execution] ?? null)}
              isShown={row.execution === shown}
              onChoose={() => setChosen(row.execution)}
            />
            <div className="relative h-7.5" title={row.bars.map(({ words }) => words).join('; ')}>
              {ticks.map(({ at, place }) => (
                <i
                  key={at}
                  className="absolute inset-y-0 w-px bg-line-soft"
                  style={{ left: `${100 * place}%` }}
                />
              ))}
              {row.bars.map((bar) => (
                <i
                  key={`${bar.of}${bar.from}`}
                  className={`absolute top-2 h-3.5 rounded-[3px] ${FILLS[bar.of]}`}
                  style={{
                    left: `${100 * bar.from}%`,
                    width: `max(3px, ${100 * (bar.to - bar.from)}%)`,
                  }}
                />
              ))}
              {nowAt !== null && (
                <i
                  className="absolute inset-y-0 w-0.5 bg-ink"
                  style={{ left: `${100 * nowAt}%` }}
                />
              )}
              <span className="sr-only">{row.bars.map(({ words }) => words).join('; ')}</span>
            </div>
          </li>
        ))}
      </ul>
      {execution !== undefined && <AttemptDetail execution={execution} number={shown + 1} />}
    </section>
  );
}

function RowName({
  row,
  execution,
  isShown,
  onChoose,
}: {
  row: { label: string };
  execution: Execution | null;
  isShown: boolean;
  onChoose(): void;
}) {
  if (execution === null) return <span className="truncate px-3 text-ink-2">{row.label}</span>;
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onChoose}
      className="flex h-full min-h-7.5 items-center gap-2 px-3 text-left hover:bg-hover aria-pressed:bg-hover"
    >
      <StateIcon phase={PHASES[execution.outcome]} size={13} label={execution.outcome} />
      <b>{row.label}</b>
      <span className="truncate text-ink-3 max-md:hidden">
        {span(Date.parse(execution.endedAt) - Date.parse(execution.startedAt))}
      </span>
    </button>
  );
}

/** Parts of the axis: half of the word "now", and a time. */
const WIDE = { now: 0.03, time: 0.08 };
const ON_PHONE = { now: 0.08, time: 0.26 };

/** Whether a time has room beside "now" and before the end. */
function isFree(place: number, now: number | null, room: typeof WIDE): boolean {
  const clear = now === null || place > now + room.now || place + room.time + room.now < now;
  return clear && place + room.time < 1;
}
