import { type JobSummary, failureInWords } from '@millrace/api';
import { fractionOf, percent } from './bar.ts';
import { count } from './number.ts';
import { age, relative } from './time.ts';

type Progress = NonNullable<JobSummary['progress']>;

/** The one thing worth knowing beside the state. What ended well has nothing to add. */
export function noteOf({ state, error, progress, cancelRequested }: JobSummary): string {
  const failure = error === null ? '' : failureInWords(error);
  const reached = progress === null ? '' : progressInWords(progress);
  switch (state) {
    case 'QUEUED':
      return failure === '' ? reached : failure;
    case 'PROCESSING':
      return [cancelRequested ? 'asked to stop' : '', reached].filter((part) => part).join(', ');
    case 'FAILED':
      return failure;
    // A failure stays with the job; by now it is history.
    case 'SUCCEEDED':
    case 'CANCELED':
      return '';
  }
}

/** `52 %, 520 of 1,000, writing rows`. */
export function progressInWords({ done, total, note }: Progress): string {
  const figures =
    total === undefined
      ? `${count(done)} done`
      : `${percent(fractionOf(done, total))}, ${count(done)} of ${count(total)}`;
  return note === undefined || note === '' ? figures : `${figures}, ${note}`;
}

/** When it runs, since when it runs, or when it ended: whichever is next or last. */
export function whenOf({ state, runAt, startedAt, finishedAt }: JobSummary, now: number): string {
  if (state === 'QUEUED') return Date.parse(runAt) > now ? relative(runAt, now) : 'due';
  if (state === 'PROCESSING')
    return startedAt === null ? '' : `for ${age(now - Date.parse(startedAt))}`;
  return finishedAt === null ? '' : relative(finishedAt, now);
}
