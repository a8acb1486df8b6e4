import { createVirtualTime } from '@millrace/testkit';
import type { SettledOutcome, Store } from '../src/index.ts';
import { type EventMap, createEvents } from '../src/events.ts';
import type { SettleAnswer, Settlement } from '../src/port.ts';
import { createSettler } from '../src/execution/settler.ts';

/** A settler alone in virtual time, over a store that a test writes in a line. */

export type Write = (settlements: readonly Settlement[]) => Promise<SettleAnswer[]>;

export const agrees: Write = async (settlements) => settlements.map(() => 'settled');

/** As the stores do it: one bad outcome (a success with this result) fails the whole batch, and nothing of it is written. */
export function refusing(result: string, error: Error): Write {
  return async (settlements) => {
    if (settlements.some(({ outcome }) => outcome.move === 'succeed' && outcome.result === result))
      throw error;
    return agrees(settlements);
  };
}

export function settlingWorld(write: Write = agrees, storeParts: Partial<Store> = {}) {
  const time = createVirtualTime();
  const events = createEvents();
  const failures: EventMap['store.failed'][] = [];
  const recoveries: EventMap['store.recovered'][] = [];
  events.on('store.failed', (event) => failures.push(event));
  events.on('store.recovered', (event) => recoveries.push(event));
  const batches: string[][] = [];
  const line = { write };
  const store = {
    ...storeParts,
    settle({ settlements }: { settlements: readonly Settlement[] }) {
      batches.push(settlements.map(({ job }) => job.id));
      return line.write(settlements);
    },
  } as unknown as Store;
  const settler = createSettler({ store, clock: time.process(), events });
  const answers = new Map<string, unknown>();

  function settle(id: string, outcome: string | SettledOutcome = '1'): void {
    settler.settle({
      ...settlement(id, outcome),
      answer: (answer) => void answers.set(id, answer),
    });
  }
  return {
    time,
    settler,
    settle,
    answers,
    batches,
    line,
    failures,
    recoveries,
    run: (ms: number) => time.run(time.now() + ms),
  };
}

/** With a text, a success that has it for its result. */
export function settlement(id: string, outcome: string | SettledOutcome = '1'): Settlement {
  return {
    job: { id, epoch: 1, claim: 1 } as Settlement['job'],
    outcome:
      typeof outcome === 'string'
        ? { move: 'succeed', result: outcome, purgePayload: false, effects: [] }
        : outcome,
    children: [],
  };
}
