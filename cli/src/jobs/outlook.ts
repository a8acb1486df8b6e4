import type { Job } from '@millrace/api';
import type { Outlook } from '../render/watch-line.ts';

/** A job, or a batch in the same form. */
type Runner = Pick<Job, 'id' | 'attempt' | 'progress'>;

/** Before this much was seen, an estimate would jump about. */
const WATCH_FIRST_MS = 2_000;

/**
 * Estimates the end of running jobs by the speed seen while watching. The job's own start would be wrong:
 * a job that goes on from its cursor did most of its work in an earlier execution.
 */
export function createOutlooks(): (job: Runner, now: number) => Outlook {
  const first = new Map<string, { attempt: number; done: number; at: number }>();
  return ({ id, attempt, progress }, now) => {
    if (progress === null || progress.total === undefined) return { leftMs: null };
    const begun = first.get(id);
    if (begun === undefined || begun.attempt !== attempt || begun.done > progress.done) {
      first.set(id, { attempt, done: progress.done, at: now });
      return { leftMs: null };
    }
    const passed = now - begun.at;
    const done = progress.done - begun.done;
    if (passed < WATCH_FIRST_MS || done <= 0) return { leftMs: null };
    return { leftMs: Math.max(((progress.total - progress.done) * passed) / done, 0) };
  };
}
