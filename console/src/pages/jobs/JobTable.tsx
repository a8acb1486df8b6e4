import type { JobSummary } from '@millrace/api';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useByNow } from '../../time/now.ts';
import { Ago, Time } from '../../time/Time.tsx';
import { count, percent, span } from '../../time/words.ts';
import { Checkbox } from '../../ui/field.tsx';
import { OwnCode } from '../../ui/own-code.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Pips, StateText, phaseOf } from '../../ui/state.tsx';
import { visible } from '../../ui/visible.ts';
import type { Selection } from './selection.ts';

const HEAD =
  'sticky top-0 z-1 h-8 bg-well pr-3 text-left text-small font-[450] whitespace-nowrap text-ink-3 shadow-[inset_0_-1px_0_var(--line)]';
const CELL =
  'h-9 pr-3 whitespace-nowrap border-b border-line-soft group-hover:bg-hover group-aria-selected:bg-brand-tint max-md:h-auto max-md:border-0 max-md:p-0';

/** A table from 720 px on; three lines a job below. */
export function JobTable({
  jobs,
  selection,
  current,
  onCurrent,
}: {
  readonly jobs: readonly JobSummary[];
  readonly selection: Selection;
  readonly current: number;
  onCurrent(index: number): void;
}) {
  return (
    <table className="w-full border-separate border-spacing-0 max-md:block">
      <thead className="max-md:hidden">
        <tr>
          <th className={`${HEAD} w-12 pl-5`}>
            <Checkbox
              label="All jobs of this page"
              // Nothing to choose until the rows are there: a click would be lost.
              disabled={jobs.length === 0}
              checked={selection.all === 'all'}
              ref={(box) => {
                if (box !== null) box.indeterminate = selection.all === 'some';
              }}
              onChange={selection.toggleAll}
            />
          </th>
          <th className={`${HEAD} w-28`}>State</th>
          <th className={HEAD}>Job</th>
          <th className={HEAD}>Kind</th>
          <th className={HEAD}>Executions</th>
          <th className={HEAD}>Error or progress</th>
          <th className={`${HEAD} text-right`}>Took</th>
          <th className={`${HEAD} text-right`}>Last ran</th>
          <th className={`${HEAD} pr-6 text-right`}>Next</th>
        </tr>
      </thead>
      <tbody className="max-md:block">
        {jobs.map((job, index) => (
          <Row
            key={job.id}
            job={job}
            index={index}
            isCurrent={index === current}
            isChosen={selection.chosen.has(job.id)}
            onToggle={selection.toggle}
            onCurrent={onCurrent}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Rendered when it has changed, and not because another row has. */
const Row = memo(function Row({
  job,
  index,
  isCurrent,
  isChosen,
  onToggle,
  onCurrent,
}: {
  readonly job: JobSummary;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isChosen: boolean;
  readonly onToggle: Selection['toggle'];
  onCurrent(index: number): void;
}) {
  const phase = useByNow((now) => phaseOf(job, now));
  const took = useByNow((now) => tookOf(job, now));
  const isLater = phase === 'scheduled' || phase === 'retrying';
  return (
    <tr
      data-row={index}
      aria-selected={isChosen}
      onFocus={() => onCurrent(index)}
      className={`group max-md:grid max-md:grid-cols-[auto_1fr_auto] max-md:gap-x-2.5 max-md:gap-y-0.5 max-md:border-b max-md:border-line-soft max-md:px-4 max-md:py-2.5 ${isCurrent ? 'shadow-[inset_3px_0_0_var(--water-1)]' : ''}`}
    >
      <td className={`${CELL} pl-5 max-md:row-span-3`}>
        <Checkbox
          label={`Select ${job.id}`}
          checked={isChosen}
          onChange={() => undefined}
          onClick={(event) => onToggle(job.id, event.shiftKey)}
        />
      </td>
      <td className={`${CELL} max-md:col-start-3 max-md:row-start-1`}>
        <StateText phase={phase} />
      </td>
      <td className={`${CELL} max-w-80 truncate font-medium max-md:col-start-2 max-md:row-start-1`}>
        <Link to="/jobs/$id" params={{ id: job.id }} className="hover:underline">
          {visible(job.key ?? job.id)}
        </Link>
      </td>
      <td className={`${CELL} text-ink-2 max-md:col-start-2 max-md:row-start-2`}>
        <code>{job.kind}</code>
      </td>
      <td className={`${CELL} max-md:hidden`}>
        <Pips used={job.attempt} allowed={job.maxAttempts} phase={phase} />
      </td>
      <td
        className={`${CELL} max-w-90 truncate max-md:col-span-2 max-md:col-start-2 max-md:row-start-3`}
      >
        <ErrorOrProgress job={job} />
      </td>
      <td className={`${CELL} text-right text-ink-2 max-md:hidden`}>{took}</td>
      <td className={`${CELL} text-right text-ink-2 max-md:col-start-3 max-md:row-start-2`}>
        <Time at={job.finishedAt ?? job.startedAt ?? job.createdAt} />
      </td>
      <td className={`${CELL} pr-6 text-right max-md:hidden`}>
        {isLater ? <Ago at={job.runAt} /> : <span className="text-ink-3">–</span>}
      </td>
    </tr>
  );
});

function ErrorOrProgress({ job }: { job: JobSummary }) {
  const { error, progress, state } = job;
  if (error !== null && state !== 'SUCCEEDED') {
    return (
      <span title={error.message}>
        <OwnCode error={error} /> <span className="text-ink-2">{visible(error.message)}</span>
      </span>
    );
  }
  if (progress === null) return null;
  const { done, total, note } = progress;
  const label = total === undefined ? `${count(done)} done` : `${count(done)} of ${count(total)}`;
  return (
    <span className="inline-flex items-center gap-2 text-ink-2" title={note}>
      {total !== undefined && (
        <Progress
          parts={[{ of: 'done', count: done }]}
          total={total}
          label={label}
          width={96}
          className="h-1.75 w-24"
        />
      )}
      {total === undefined ? label : percent(done / Math.max(total, 1), 0)}
    </span>
  );
}

export function tookOf({ startedAt, finishedAt, state }: JobSummary, now: number): string {
  if (startedAt === null) return '–';
  if (finishedAt !== null) return span(Date.parse(finishedAt) - Date.parse(startedAt));
  return state === 'PROCESSING' ? span(Math.max(0, now - Date.parse(startedAt))) : '–';
}
