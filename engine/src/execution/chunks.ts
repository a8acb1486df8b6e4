import { JobFailure, MillraceError, StoreUnavailable } from '../errors.ts';
import type { ExecutorParts } from '../executor.ts';
import type { Chunk } from '../kinds/kind.ts';
import type { Outcome } from '../kinds/outcome.ts';
import type { Checkpoint, ChunkPart, RenewAnswer } from '../port-parts.ts';
import { sleep } from '../time/clock.ts';
import { isSameJson, toJsonText } from '../values/json.ts';
import { YIELDED } from './decide.ts';
import type { Chunks } from './handler.ts';
import { type Running, fencedEvent, leaseOf, progressEvent, storableProgress } from './running.ts';

/** Saves each chunk, then lets cancel, shutdown and a lost lease apply. */
export async function drain(
  parts: ExecutorParts,
  running: Running,
  chunks: Chunks,
): Promise<Outcome | void> {
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return next.value;
    try {
      await saveChunk(parts, running, next.value);
      if (running.abortReason !== null)
        throw new JobFailure(
          'aborted',
          `The job was aborted between two chunks: ${running.abortReason}.`,
        );
      if (running.isAskedToYield) throw YIELDED;
    } catch (thrown) {
      // Runs the handler's finally blocks. An error that they throw is dropped: it is not why the job ends.
      await chunks.return(undefined).catch(() => {});
      throw thrown;
    }
  }
}

const RETRY_MS = { first: 50, most: 5_000 };

/**
 * A chunk is done work: it is asked for until the store answers, for as long as the lease lasts. Its step lets the
 * store recognise what it has already. `gone`: the engine has gone on without the handler, or the lease's time is over.
 */
async function save(
  { leases, clock, events, leaseMs }: ExecutorParts,
  chunks: ChunkPart,
  running: Running,
  checkpoint: Checkpoint,
): Promise<RenewAnswer | 'gone'> {
  for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
    try {
      const [answer] = await chunks.checkpoint({ checkpoints: [checkpoint], leaseMs });
      return answer ?? 'stale';
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      events.emit('store.failed', { during: 'checkpoint', error });
    }
    await sleep(clock, wait);
    if (running.isOver || leases.fenceIfLate(running)) return 'gone';
  }
}

async function saveChunk(parts: ExecutorParts, running: Running, chunk: Chunk): Promise<void> {
  const { store, leases, clock, events } = parts;
  if (store.chunks === undefined)
    throw new MillraceError(
      'unsupported_by_store',
      `The store "${store.name}" cannot save chunks.`,
    );
  if (running.isOver || leases.fenceIfLate(running)) return;
  const askedAt = clock.now();
  const cursor = toJsonText(chunk.cursor, 'cursor');
  const progress = chunk.progress && storableProgress(chunk.progress);
  // The progress in the chunk is newer than the one that waits to be saved, which must not overwrite it.
  if (progress) running.progress = null;
  running.isSaving = true;
  const checkpoint: Checkpoint = {
    lease: leaseOf(running.job),
    step: running.nextStep(),
    cursor,
    ...(progress && { progress }),
    children: running.takeChildren(),
  };
  const answer = await save(parts, store.chunks, running, checkpoint);
  running.isSaving = false;
  if (answer === 'gone') return;
  if (answer === 'stale') {
    events.emit('lease.fenced', fencedEvent(running.job, 'checkpoint'));
    running.abort('lease_lost');
    return;
  }
  running.deadline = Math.max(running.deadline, leases.deadlineOf(askedAt));
  // As in the store, only a cursor that moves on starts the attempts again: otherwise a handler that yields the same
  // cursor and fails would be retried for ever.
  if (running.cursor === null || !isSameJson(running.cursor, cursor)) {
    running.attempt = 1;
    running.isSuspect = false;
  }
  running.cursor = cursor;
  running.note(parts.wallClock(), 'info', `chunk ${checkpoint.step} saved`);
  if (progress) events.emit('job.progress', progressEvent(running, progress));
  if (answer === 'cancel') running.abort('canceled');
}
