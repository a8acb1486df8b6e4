import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallReport } from '@millrace/marketing-cloud';

/**
 * Counts the calls to Marketing Cloud for whom they were made. The connector reports each call, with its repeats, in the
 * asynchronous context of whoever made it.
 */
export interface Meter {
  /** For the connector. */
  onCall(call: CallReport): void;
  /** Runs the work, and counts its calls; those that it shares with others are added with `charge`. */
  during<T>(tally: Tally, work: () => Promise<T>): Promise<T>;
  /** Adds to whoever's work this is. */
  charge(calls: number): void;
}

export interface Tally {
  calls: number;
}

/**
 * The storage is on only while work is metered: on Node 20 and 22 one that is on makes every promise of the process slower, by ten
 * times where a turn of the event loop does nothing else (500 turns: 1 ms and 10 ms of a processor).
 */
export function createMeter(onCall: (call: CallReport) => void = () => {}): Meter {
  const current = new AsyncLocalStorage<Tally>();
  let metered = 0;
  function charge(calls: number): void {
    // Since Node 24, what was begun within keeps its place in a storage that is switched off.
    const tally = metered === 0 ? undefined : current.getStore();
    if (tally !== undefined) tally.calls += calls;
  }
  return {
    onCall(call) {
      charge(call.requests);
      onCall(call);
    },
    async during(tally, work) {
      metered += 1;
      try {
        return await current.run(tally, work);
      } finally {
        metered -= 1;
        if (metered === 0) current.disable();
      }
    },
    charge,
  };
}
