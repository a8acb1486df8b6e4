import { storableText } from '../values/failure.ts';
import type { Progress } from '../job.ts';

const NOTE_LIMIT = 1_000;

/**
 * The progress as a store can keep it. Characters that no store keeps are dropped from it, since a job must not fail
 * for its progress. A copy, since a handler may count up in one object and give it again and again.
 */
export function storableProgress({ done, total, note }: Progress): Progress {
  return {
    done: Number.isFinite(done) ? done : 0,
    ...(Number.isFinite(total) && { total: Number(total) }),
    ...(note !== undefined && { note: storableText(note, NOTE_LIMIT) }),
  };
}
