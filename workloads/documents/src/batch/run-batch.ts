import {
  type Duration,
  type JobContext,
  type RunningJob,
  defer,
  done,
  toMs,
} from '@millrace/engine';
import { z } from 'zod';
import type { ItemInput } from '../one/run-document.ts';
import type { ItemCounts } from './items.ts';
import { DOCUMENT, itemKey } from './jobs.ts';
import type { BatchRecord } from './records.ts';
import type { BatchUpkeep } from './upkeep.ts';

/** What the job of a batch is given. */
export const batchRunSchema = z.strictObject({ batch: z.string(), run: z.number().int().min(1) });

const cursorSchema = z.object({
  run: z.number(),
  /** The last item that has its job. */
  after: z.number(),
  /** Items that had ended when it last looked. */
  ended: z.number(),
  /** How often it has looked. */
  looks: z.number().default(0),
});

/** Jobs made with one saved chunk. */
const CHUNK = 200;
/** A batch of a few is over in no time: the first looks come sooner, each after twice as long as the one before. */
const FIRST_LOOK_MS = 50;
/** So many times less often while nothing moves: a retry may be a quarter of an hour away. */
const STILL = 5;

/** Makes a job for each item, chunk by chunk; then looks now and then how far they are, until the last has ended. */
export async function* runBatch(
  upkeep: BatchUpkeep,
  job: RunningJob<z.infer<typeof batchRunSchema>>,
  { enqueue, signal }: JobContext,
  lookEvery: Duration,
) {
  const { batch: id, run } = job.data;
  const find = async (): Promise<BatchRecord | null> => {
    const found = await upkeep.find(id, job.tenant);
    return found?.run === run && found.state === 'RUNNING' ? found : null;
  };
  const saved = cursorSchema.safeParse(job.cursor).data;
  let { after, ended, looks } = saved?.run === run ? saved : { after: 0, ended: -1, looks: 0 };

  for (;;) {
    const batch = await find();
    if (batch === null) return done({ batch: id, over: true });
    signal.throwIfAborted();
    const chunk = await upkeep.pending(batch, after, CHUNK);
    if (chunk.length === 0) break;
    const subjects = await upkeep.subjects(batch, chunk);
    const priority = await upkeep.priority(batch);
    for (const item of chunk) {
      const subject = subjects.get(item);
      enqueue({
        kind: DOCUMENT,
        data: { batch: id, run, item } satisfies ItemInput,
        key: itemKey(batch, item),
        ...(subject !== undefined && { subject }),
        ...(priority !== null && { priority }),
      });
    }
    after = chunk.at(-1) ?? after;
    const counts = await upkeep.counts(batch);
    yield { cursor: { run, after, ended, looks }, progress: progressOf(counts) };
  }

  const batch = await find();
  if (batch === null) return done({ batch: id, over: true });
  let counts = await upkeep.counts(batch);
  // Nothing has moved since the last look: perhaps jobs were canceled by hand, or went down with their worker.
  const isStill = endedOf(counts) === ended;
  if (isStill && (await upkeep.reconcile(batch)) > 0) counts = await upkeep.counts(batch);
  ended = endedOf(counts);
  const soon = Math.min(toMs(lookEvery), FIRST_LOOK_MS * 2 ** looks);
  looks += 1;
  yield { cursor: { run, after, ended, looks }, progress: progressOf(counts) };
  if (await upkeep.finish(batch)) {
    // The last of them may have ended since they were counted.
    counts = await upkeep.counts(batch);
    yield { cursor: { run, after, ended: endedOf(counts), looks }, progress: progressOf(counts) };
    return done({ batch: id, ...counts });
  }
  return defer({ after: isStill && soon === toMs(lookEvery) ? soon * STILL : soon });
}

function endedOf({ succeeded, failed, canceled }: ItemCounts): number {
  return succeeded + failed + canceled;
}

function progressOf(counts: ItemCounts): { done: number; total: number } {
  const ended = endedOf(counts);
  return { done: ended, total: ended + counts.pending + counts.running };
}
