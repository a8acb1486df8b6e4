import { type Duration, toMs } from '@millrace/engine';
import { TestQueueError } from './errors.ts';
import type { TestWorld } from './world.ts';

/** Lets the queue of a test run, and says in a sentence why it does not come to an end. */
export interface Drain {
  empty(options?: { readonly within?: Duration }): Promise<void>;
  advance(duration: Duration): Promise<void>;
}

const WITHIN = '365d';
/** A job that runs so often in one drain defers itself for ever; and if all do, they make each other. */
const MOST_RUNS = { ofJob: 1_000, ofAll: 100_000 };
/** Jobs are due and nothing has happened for so long: a lease that ends, and every wait of a worker, is shorter. */
const STANDSTILL_MS = 15 * 60_000;
const LOOK_MS = 1_000;

export function createDrain(world: TestWorld): Drain {
  const { time, drive, kinds, queue, runs, breaks, processes, stretches } = world;
  const { peek } = world.database;

  function isEmpty(): boolean {
    // While a call is under way, or someone stands still who will go on, nobody need be counted.
    if (!processes.isQuiet() || processes.isOneStruck() || runs.isOneOpen()) return false;
    const { due, scheduled, running } = peek.outlook();
    return due + scheduled + running === 0;
  }

  /** Asked again and again: whether nothing changes any more although something should. */
  function watchStandstill(): () => boolean {
    let [last, since, lookedAt] = ['', time.now(), -Infinity];
    return () => {
      const now = time.now();
      if (now - lookedAt < LOOK_MS) return false;
      lookedAt = now;
      const outlook = peek.outlook();
      const state = JSON.stringify([outlook, runs.all().length]);
      const isExpected = outlook.due === 0 || stretches.count() > 0 || breaks.isLasting();
      if (state !== last || isExpected) [last, since] = [state, now];
      return now - since > STANDSTILL_MS;
    };
  }

  /** Asked again and again: whether a job, or all of them, ran too often since the first time. */
  function countRuns(): () => boolean {
    const [before, ofJob] = [runs.all().length, new Map<string, number>()];
    let [seen, most] = [before, 0];
    return () => {
      for (const { id } of runs.all().slice(seen)) {
        const count = (ofJob.get(id) ?? 0) + 1;
        ofJob.set(id, count);
        most = Math.max(most, count);
      }
      seen = runs.all().length;
      return most > MOST_RUNS.ofJob || seen - before > MOST_RUNS.ofAll;
    };
  }

  async function empty({ within = WITHIN }: { readonly within?: Duration } = {}): Promise<void> {
    const isStandstill = watchStandstill();
    const hasTooMany = countRuns();
    await drive.until(() => {
      kinds.throwMistake();
      return isEmpty() || hasTooMany() || isStandstill();
    }, later(within));
    if (hasTooMany()) throw tooManyRuns();
    if (!isEmpty()) throw await notEmpty(within);
    const unused = breaks.unused();
    if (unused !== null)
      throw new TestQueueError(
        'not_drained',
        `${unused}, and that never came: the test has not tried what it is for. queue.repair() takes an order back.`,
      );
  }

  function later(duration: Duration): number {
    return Math.floor(time.now()) + toMs(duration);
  }

  function tooManyRuns(): TestQueueError {
    const last = runs.all().at(-1);
    const count = runs.all().filter(({ id }) => id === last?.id).length;
    return new TestQueueError(
      'not_drained',
      `There is no end to it: ${last?.id} ("${last?.kind}") has run ${count} times so far. Does its fake ever say what the job waits ` +
        "for? queue.advance('1h') lets only some time pass.",
    );
  }

  async function notEmpty(within: Duration): Promise<TestQueueError> {
    const left = peek.jobs().filter(({ finishedAt }) => finishedAt === null);
    const named = await Promise.all(
      left.slice(0, 3).map(async ({ id, kind }) => {
        const { sentence } = await queue.explain(id);
        return `${id} ("${kind}"): ${sentence}`;
      }),
    );
    const more = left.length > named.length ? ` And ${left.length - named.length} more.` : '';
    return new TestQueueError(
      'not_drained',
      `${left.length} jobs have not ended within ${within} of the queue's time. ${named.join(' ')}${more}`,
    );
  }

  return {
    empty,
    advance: (duration) =>
      drive.until(() => {
        kinds.throwMistake();
        return false;
      }, later(duration)),
  };
}
