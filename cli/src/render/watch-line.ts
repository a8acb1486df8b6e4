import type { Job } from '@millrace/api';
import { bar, fractionOf, percent } from './bar.ts';
import { type Paint, STATE_STYLE } from './colour.ts';
import { noteOf, progressInWords } from './job-note.ts';
import { count } from './number.ts';
import { lasting, relative } from './time.ts';
import { clean, cut, widthOf } from './width.ts';

const BAR_COLUMNS = { least: 8, most: 30 };

/** Where a bar's end lies, from what was seen of it; null while that is unknown. */
export interface Outlook {
  readonly leftMs: number | null;
}

export interface WatchLayout {
  /** Infinity: nothing is cut, and there is no bar. */
  readonly columns: number;
  /** The line stays, so a failure may wrap and be read in full. */
  readonly stays: boolean;
  readonly idColumns: number;
  readonly kindColumns: number;
  readonly paint: Paint;
}

export function watchLayout(
  jobs: readonly Job[],
  { columns, paint }: Pick<WatchLayout, 'columns' | 'paint'>,
  stays: boolean,
): WatchLayout {
  const widest = (texts: readonly string[]) => Math.max(...texts.map(widthOf));
  return {
    columns,
    stays,
    idColumns: widest(jobs.map(({ id }) => id)),
    kindColumns: Math.min(widest(jobs.map(({ kind }) => kind)), 24),
    paint,
  };
}

const STATE_COLUMNS = 10;

/** One job while it is watched: `pg-42  report  PROCESSING  ━━━━━────  52 %  520 of 1,000  9 s left`. */
export function watchLine(job: Job, { leftMs }: Outlook, now: number, layout: WatchLayout): string {
  const { columns, paint, idColumns, kindColumns } = layout;
  const head = `${job.id.padEnd(idColumns)}  ${cut(job.kind, kindColumns).padEnd(kindColumns)}  `;
  const room = columns - widthOf(head) - STATE_COLUMNS - 2;
  const state = paint(STATE_STYLE[job.state], job.state.padEnd(STATE_COLUMNS));
  return `${head}${state}  ${tail(job, leftMs, now, room, layout)}`.trimEnd();
}

function tail(
  job: Job,
  leftMs: number | null,
  now: number,
  room: number,
  { paint, stays }: WatchLayout,
): string {
  if (job.state === 'PROCESSING') return running(job, leftMs, now, room, paint);
  const text = clean(job.state === 'QUEUED' ? waiting(job, now) : ended(job));
  if (job.state !== 'FAILED') return cut(text, room);
  return paint('red', stays ? text : cut(text, room));
}

function waiting(job: Job, now: number): string {
  const when =
    Date.parse(job.runAt) > now ? `runs ${relative(job.runAt, now)}` : 'waits for a worker';
  return job.error === null ? when : `${when}, after ${noteOf(job)}`;
}

function ended(job: Job): string {
  const { startedAt, finishedAt, result } = job;
  const took =
    startedAt === null || finishedAt === null
      ? ''
      : `in ${lasting(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  if (job.state === 'FAILED') return noteOf(job);
  const value = result === null || result === undefined ? '' : JSON.stringify(result);
  return [took, value].filter((part) => part !== '').join('  ');
}

function running(job: Job, leftMs: number | null, now: number, room: number, paint: Paint): string {
  const { progress, startedAt } = job;
  const since = startedAt === null ? '' : `for ${lasting(now - Date.parse(startedAt))}`;
  if (progress === null) return cut(job.cancelRequested ? `${since}, asked to stop` : since, room);
  const { done, total, note } = progress;
  if (total === undefined || room === Infinity) {
    return cut(
      clean([progressInWords(progress), since].filter((part) => part !== '').join(', ')),
      room,
    );
  }
  const fraction = fractionOf(done, total);
  const left = leftMs === null ? since : `${lasting(leftMs)} left`;
  const words = [
    percent(fraction).padStart(5),
    `${count(done)} of ${count(total)}`,
    left,
    note ?? '',
  ];
  const text = clean(words.filter((part) => part !== '').join('  '));
  const barColumns = Math.min(BAR_COLUMNS.most, Math.floor(room / 3));
  if (barColumns < BAR_COLUMNS.least) return cut(text, room);
  return `${bar(fraction, barColumns, paint)} ${cut(text, room - barColumns - 1)}`;
}
