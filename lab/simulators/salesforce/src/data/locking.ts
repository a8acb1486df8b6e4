import { ApiError } from '../errors.ts';
import { Blocked } from './locks.ts';
import type { Transaction } from './transaction.ts';

/** Work that needs locks: it says the name of each, and goes on when it has it. */
export type Locking<T> = Generator<string, T, void>;

/** Waits for each lock: how a call from outside is done. */
export async function waiting<T>(tx: Transaction, steps: Locking<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await tx.lock(step.value);
  }
}

/** Takes each lock at once, or throws `Blocked`: how Apex does it, which cannot stop in the middle. */
export function atOnce<T>(tx: Transaction, steps: Locking<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    tx.lockAtOnce(step.value);
  }
}

/**
 * Runs what takes its locks at once, and where one is not free, waits for it and runs it again from its beginning. Locks
 * that it has are kept meanwhile, so the next run gets further. One that is not to be had in time is refused in the next
 * run, which then decides what to do.
 */
export async function againWhenBlocked<T>(tx: Transaction, run: () => T): Promise<T> {
  for (;;) {
    const mark = tx.mark();
    try {
      return run();
    } catch (thrown) {
      if (!(thrown instanceof Blocked)) throw thrown;
      tx.rollbackTo(mark);
      try {
        await tx.waitFor(thrown.lock);
      } catch (refused) {
        if (!(refused instanceof ApiError)) throw refused;
        tx.refuse(thrown.lock, refused);
      }
    }
  }
}
