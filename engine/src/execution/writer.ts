import { StoreTimedOut, type StoreUnavailable } from '../errors.ts';
import type { Events } from '../events.ts';
import type { Settlement } from '../port.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { type Persist, RETRY_MS, type Settled, isUnknown } from './persist.ts';

/** An outcome that waits to be written, and learns what became of it. */
export interface Settling extends Settlement {
  answer(answer: Settled): void;
}

/**
 * Writes batches until each of their outcomes has its answer. One that the store refuses, or does not finish in time, is
 * split until the one bad outcome stands alone.
 */
export interface Writer {
  write(batch: readonly Settling[]): Promise<void>;
  /** Handed in and not answered. */
  underWay(): Iterable<Settling>;
}

/** Time-outs of a lone outcome, on a store that answers otherwise, after which it counts as unstorable. */
const TIME_OUTS = 5;

export function createWriter(params: {
  persist: Persist;
  clock: Clock;
  events: Events;
  onAnswered: (count: number) => void;
}): Writer {
  const { persist, clock, events, onAnswered } = params;
  const underWay = new Set<readonly Settling[]>();

  async function write(batch: readonly Settling[]): Promise<void> {
    underWay.add(batch);
    const answers = await persist.together(batch).catch((error: unknown) => ({ error }));
    underWay.delete(batch);
    if ('error' in answers) return splitBatch(batch, answers.error);
    const unknown: Settling[] = [];
    let failure: StoreUnavailable | null = null;
    for (const [index, settling] of batch.entries()) {
      const answer = answers[index] ?? 'stale';
      if (isUnknown(answer)) {
        unknown.push(settling);
        failure = answer.unknown;
      } else tell(settling, answer);
    }
    onAnswered(batch.length - unknown.length);
    if (failure === null) return;
    events.emit('store.failed', { during: 'settle', error: failure });
    void writeLater(unknown);
  }

  /** Beside the others, which do not wait: someone may hold one row of a store for long. */
  async function writeLater(batch: readonly Settling[]): Promise<void> {
    underWay.add(batch);
    await sleep(clock, RETRY_MS.first);
    underWay.delete(batch);
    await write(batch);
  }

  async function splitBatch(batch: readonly Settling[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) return writeAlone(only, error);
    const middle = Math.ceil(batch.length / 2);
    const [first, second] = [batch.slice(0, middle), batch.slice(middle)];
    // The second half waits for the first, and keeps its leases meanwhile.
    underWay.add(second);
    await write(first);
    underWay.delete(second);
    await write(second);
  }

  /** One that takes too long is tried again beside the others, which do not wait for it. */
  async function writeAlone(settling: Settling, error: unknown): Promise<void> {
    if (error instanceof StoreTimedOut) void keepTrying(settling, error);
    else finishAlone(settling, await persist.asUnstorable(settling, error));
  }

  function finishAlone(settling: Settling, answer: Settled): void {
    tell(settling, answer);
    onAnswered(1);
  }

  /** What one of them makes of its answer is no affair of the others. */
  function tell(settling: Settling, answer: Settled): void {
    try {
      settling.answer(answer);
    } catch (error) {
      events.emit('store.failed', { during: 'settle', error });
    }
  }

  async function keepTrying(settling: Settling, timeOut: StoreTimedOut): Promise<void> {
    const alone = [settling];
    underWay.add(alone);
    let error: unknown = timeOut;
    for (let tries = 1; error instanceof StoreTimedOut; tries += 1) {
      // A store that answers other questions is well: then it is this outcome that it cannot take.
      if (tries >= TIME_OUTS && (await persist.isWell())) break;
      await sleep(clock, Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most));
      try {
        const answer = await persist.alone(settling);
        underWay.delete(alone);
        return finishAlone(settling, answer);
      } catch (again) {
        error = again;
      }
    }
    const answer = await persist.asUnstorable(settling, error);
    underWay.delete(alone);
    finishAlone(settling, answer);
  }

  return {
    write,
    *underWay() {
      for (const batch of underWay) yield* batch;
    },
  };
}
