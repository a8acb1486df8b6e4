import { type FailureRecord, StoreTimedOut, StoreUnavailable } from '../errors.ts';
import type { Events } from '../events.ts';
import type { Refused, SettleAnswer, Settlement, Store, Unknown } from '../port.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { classify } from '../values/failure.ts';

/** The failure that was written instead, when the store refused the outcome itself. */
export type Settled = Exclude<SettleAnswer, Unknown> | FailureRecord;

/** The handler is done, but what it asked the store to do with it cannot be. */
export function isRefused(answer: Settled): answer is Refused {
  return typeof answer === 'object' && 'refused' in answer;
}

export function isUnknown(answer: SettleAnswer): answer is Unknown {
  return typeof answer === 'object' && 'unknown' in answer;
}

/** Has outcomes written by the store, however long it is away. */
export interface Persist {
  /** Asks again until the store answers, or nobody waits any more. Throws what a smaller batch may help against. */
  together(settlements: readonly Settlement[]): Promise<SettleAnswer[]>;
  alone(settlement: Settlement): Promise<Settled>;
  /** The outcome itself cannot be stored: the job fails and says so. If even that is refused, its lease runs out. */
  asUnstorable(settlement: Settlement, refusal: unknown): Promise<Settled>;
  /** The store answers other questions. */
  isWell(): Promise<boolean>;
  /** A store that is away longer than until then is asked no more; what it was to write is stale. */
  giveUpAt(moment: number): void;
}

export const RETRY_MS = { first: 50, most: 5_000 };

export function createPersist(params: { store: Store; clock: Clock; events: Events }): Persist {
  const { store, clock, events } = params;
  let endsAt = Infinity;

  async function together(settlements: readonly Settlement[]): Promise<SettleAnswer[]> {
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        const answers = await store.settle({ settlements });
        const unknown = answers.find(isUnknown);
        if (unknown !== undefined && answers.every(isUnknown)) throw unknown.unknown;
        if (wait > RETRY_MS.first) events.emit('store.recovered', { during: 'settle' });
        return answers;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        events.emit('store.failed', { during: 'settle', error });
        if (clock.now() >= endsAt) return settlements.map(() => 'stale');
        if (error instanceof StoreTimedOut) throw error;
        await sleep(clock, wait);
      }
    }
  }

  async function alone(settlement: Settlement): Promise<Settled> {
    const [answer = 'stale'] = await together([settlement]);
    return isUnknown(answer) ? 'stale' : answer;
  }

  async function asUnstorable({ job }: Settlement, refusal: unknown): Promise<Settled> {
    const { message } = classify(refusal);
    const error = {
      code: 'result_unstorable',
      message: `The store refused the outcome: ${message}`,
      retryable: false,
    };
    const outcome = { move: 'fail', error, stack: null } as const;
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await alone({ job, outcome, children: [] });
        return answer === 'stale' ? 'stale' : error;
      } catch (again) {
        events.emit('store.failed', { during: 'settle', error: again });
        if (!(again instanceof StoreTimedOut)) return 'stale';
        await sleep(clock, Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most));
      }
    }
  }

  async function isWell(): Promise<boolean> {
    try {
      await store.now();
      return true;
    } catch {
      return false;
    }
  }

  return {
    together,
    alone,
    asUnstorable,
    isWell,
    giveUpAt(moment) {
      endsAt = moment;
    },
  };
}
