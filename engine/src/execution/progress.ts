import { storableText } from '../values/failure.ts';
import type { Progress } from '../job.ts';

const NOTE_LIMIT = 1_000;

/**
 * Progress is an ornament: it loses what no store can keep, rather than the job its work. And it is a copy,
 * since a handler may count up in one object and give it again and again.
 */
export function storableProgress({ done, total, note }: Progress): Progress {
  return {
    done: Number.isFinite(done) ? done : 0,
    ...(Number.isFinite(total) && { total: Number(total) }),
    ...(note !== undefined && { note: storableText(note, NOTE_LIMIT) }),
  };
}
