import type { Batch } from '@millrace/documents/contract';
import type { Context } from '../context.ts';
import { isTransient } from '../failure.ts';
import { PATIENCE_MS } from '../jobs/follow.ts';
import { nextPauseMs } from '../jobs/rhythm.ts';

/** How a batch stood at one look. */
export interface BatchSight {
  readonly batch: Batch;
  readonly changed: boolean;
  /** The server has not answered since then: what is shown is old. */
  readonly silentSince: number | null;
}

export function isOver({ state }: Batch): boolean {
  return state === 'FINISHED' || state === 'CANCELED';
}

/** Rows that will not change any more. */
export function doneOf({ counts: { succeeded, failed, canceled } }: Batch): number {
  return succeeded + failed + canceled;
}

const RUNNING = { running: true, dueInMs: null };

/** Looks at a batch until it is over. A server may restart meanwhile. */
export async function* followBatch(
  { client, world }: Context,
  first: Batch,
): AsyncGenerator<BatchSight> {
  let batch = first;
  yield { batch, changed: true, silentSince: null };
  let pauseMs: number | null = null;
  let silentSince: number | null = null;
  while (!isOver(batch)) {
    pauseMs = nextPauseMs(pauseMs, RUNNING);
    await world.wait(pauseMs);
    try {
      const seen: Batch = await client.getBatch({ params: { id: batch.id } });
      const changed = JSON.stringify(seen) !== JSON.stringify(batch);
      batch = seen;
      silentSince = null;
      yield { batch, changed, silentSince };
    } catch (thrown) {
      silentSince ??= world.now();
      if (!isTransient(thrown) || world.now() - silentSince > PATIENCE_MS) throw thrown;
      yield { batch, changed: false, silentSince };
    }
  }
}
