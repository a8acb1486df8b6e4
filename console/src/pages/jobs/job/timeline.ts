import type { Job } from './job.ts';

export interface Bar {
  readonly of: 'waiting' | 'run' | 'running' | 'lost' | 'backoff';
  /** Parts of the axis, 0 to 1. */
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

export interface Row {
  readonly label: string;
  /** Its place in the executions that are kept; null for what is none. */
  readonly execution: number | null;
  readonly bars: readonly Bar[];
}

export interface Timeline {
  readonly rows: readonly Row[];
  /** Round moments, with their places. */
  readonly ticks: readonly { readonly at: number; readonly place: number }[];
  /** Where now is; null where the axis ends with it or before it. */
  readonly now: number | null;
}

/** The story of a job on one axis, from when it was made to now, to its end, or to its next attempt. Pure, so that it is tested. */
export function timeline(job: Job, now: number): Timeline {
  const at = (moment: string): number => Date.parse(moment);
  const begin = at(job.createdAt);
  const next = job.state === 'QUEUED' ? at(job.runAt) : now;
  const end = Math.max(
    begin + 1,
    job.finishedAt === null ? Math.max(now, next) : at(job.finishedAt),
  );
  const bar = (of: Bar['of'], from: number, to: number, words: string): Bar => ({
    of,
    from: part(from, begin, end),
    to: part(to, begin, end),
    words,
  });
  const first = job.executions[0]?.startedAt ?? job.startedAt;
  const rows: Row[] = [];
  const waitedUntil = first === null ? Math.min(end, next) : at(first);
  if (waitedUntil > begin)
    rows.push({
      label: 'Waiting',
      execution: null,
      bars: [bar('waiting', begin, waitedUntil, 'waiting')],
    });
  for (const [index, execution] of job.executions.entries()) {
    const started = at(execution.startedAt);
    const ended = at(execution.endedAt);
    const bars = [
      bar(execution.outcome === 'lost' ? 'lost' : 'run', started, ended, execution.outcome),
    ];
    const following = job.executions[index + 1]?.startedAt ?? laterStart(job, execution.startedAt);
    const until = following === null ? (job.state === 'QUEUED' ? next : null) : at(following);
    // A job that failed for good waited for nobody until somebody retried it.
    const goesOn = execution.outcome === 'retried' || execution.outcome === 'lost';
    if (goesOn && until !== null && until > ended)
      bars.push(bar('backoff', ended, until, 'waiting to be tried again'));
    rows.push({ label: String(index + 1), execution: index, bars });
  }
  const current = laterStart(job, job.executions.at(-1)?.startedAt ?? '');
  if (current !== null) {
    const ended = job.finishedAt === null ? end : at(job.finishedAt);
    rows.push({
      label: job.state === 'PROCESSING' ? 'Running' : 'Last',
      execution: null,
      bars: [
        bar(
          job.state === 'PROCESSING' ? 'running' : 'run',
          at(current),
          ended,
          job.state.toLowerCase(),
        ),
      ],
    });
  }
  return {
    rows,
    ticks: ticksOf(begin, end),
    now: job.finishedAt === null && now < end ? part(now, begin, end) : null,
  };
}

const SECOND = 1_000;
const STEPS = [
  1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400,
].map((seconds) => seconds * SECOND);
const MOST_TICKS = 8;

function ticksOf(begin: number, end: number): { at: number; place: number }[] {
  const step = STEPS.find((each) => (end - begin) / each <= MOST_TICKS) ?? end - begin;
  const first = Math.ceil(begin / step) * step;
  return Array.from({ length: Math.floor((end - first) / step) + 1 }, (_, index) => {
    const at = first + index * step;
    return { at, place: part(at, begin, end) };
  });
}

/** When the execution began that is not among those kept: it runs, or went well. */
function laterStart({ startedAt, state }: Job, after: string): string | null {
  return startedAt !== null && startedAt > after && state !== 'QUEUED' ? startedAt : null;
}

function part(at: number, begin: number, end: number): number {
  return Math.min(1, Math.max(0, (at - begin) / (end - begin)));
}
