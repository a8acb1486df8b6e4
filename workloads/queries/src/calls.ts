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

export function createMeter(onCall: (call: CallReport) => void = () => {}): Meter {
  const current = new AsyncLocalStorage<Tally>();
  function charge(calls: number): void {
    const tally = current.getStore();
    if (tally !== undefined) tally.calls += calls;
  }
  return {
    onCall(call) {
      charge(call.requests);
      onCall(call);
    },
    during: (tally, work) => current.run(tally, work),
    charge,
  };
}
