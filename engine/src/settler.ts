import { type Clock, sleep } from './clock.ts';
import { type FailureRecord, StoreUnavailable, classify } from './errors.ts';
import type { Events } from './events.ts';
import type { SettleAnswer, Settlement, Store } from './port.ts';

/**
 * Outcomes are written together: what arrives while a write is under way forms the next batch, so a lone
 * outcome waits for nobody and a flood is written by the thousand. A batch that the store refuses is split
 * until the one bad outcome stands alone; a store that does not answer is asked again for as long as the
 * worker lives, since "already settled" and "stale" are answers it can give later.
 */
export interface Settler {
  settle(settlement: Settlement): Promise<Settled>;
  /** So many outcomes wait that nothing more should be claimed. */
  isFull(): boolean;
  /** Told each time there is room again. */
  onRoom(listener: () => void): void;
  /** Resolves when everything handed in has been answered, or after so long; what is left then is given up. */
  flushed(withinMs: number): Promise<void>;
  pending(): number;
}

/** The failure that was written instead, when the store refused the outcome itself. */
export type Settled = SettleAnswer | FailureRecord;

interface Waiting {
  readonly settlement: Settlement;
  readonly answer: (answer: Settled) => void;
}

const BATCH = 1_000;
/** Outcomes held in memory before claiming stops. */
const ROOM = 10_000;
/** Two writes at a time: the second batch travels while the first is being committed. */
const WRITERS = 2;
const RETRY_MS = { first: 50, most: 5_000 };

export function createSettler(params: { store: Store; clock: Clock; events: Events }): Settler {
  const { store, clock, events } = params;
  let waiting: Waiting[] = [];
  let unanswered = 0;
  let writers = 0;
  let giveUpAt = Infinity;
  const emptyWaiters: (() => void)[] = [];
  const roomListeners: (() => void)[] = [];

  function settle(settlement: Settlement): Promise<Settled> {
    return new Promise((resolve) => {
      unanswered += 1;
      waiting.push({ settlement, answer: resolve });
      if (writers === 0) {
        writers += 1;
        giveUpAt = Infinity;
        // One turn of the event loop gathers what ends together.
        clock.after(store.gatherMs ?? 0, () => void write());
      } else if (waiting.length >= BATCH && writers < WRITERS) {
        writers += 1;
        void write();
      }
    });
  }

  async function write(): Promise<void> {
    for (let first = true; waiting.length > 0; first = false) {
      if (!first && store.gatherMs !== undefined) await sleep(clock, store.gatherMs);
      const batch = waiting.splice(0, BATCH);
      events.emit('settle.flushed', { size: batch.length });
      await writeBatch(batch);
      const wasFull = isFull();
      unanswered -= batch.length;
      if (wasFull && !isFull()) for (const listener of roomListeners) listener();
      if (unanswered === 0) for (const resolve of emptyWaiters.splice(0)) resolve();
    }
    writers -= 1;
  }

  async function writeBatch(batch: Waiting[]): Promise<void> {
    let answers: Settled[];
    try {
      answers = await persist(batch.map((each) => each.settlement));
    } catch (error) {
      if (batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await writeBatch(batch.slice(0, middle));
        await writeBatch(batch.slice(middle));
        return;
      }
      answers = [await settleAsUnstorable(batch, error)];
    }
    for (const [index, each] of batch.entries()) each.answer(answers[index] ?? 'stale');
  }

  /** Asks again until the store answers, or nobody waits any more. Throws only what is wrong with the data. */
  async function persist(settlements: readonly Settlement[]): Promise<SettleAnswer[]> {
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        const answers = await store.settle({ settlements });
        if (wait > RETRY_MS.first) events.emit('store.recovered', { during: 'settle' });
        return answers;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        events.emit('store.failed', { during: 'settle', error });
        if (clock.now() >= giveUpAt) return settlements.map(() => 'stale');
        await sleep(clock, wait);
      }
    }
  }

  /** The outcome itself cannot be stored: the job fails and says so. If even that is refused, its lease runs out. */
  async function settleAsUnstorable(batch: Waiting[], refusal: unknown): Promise<Settled> {
    const settlement = batch[0]?.settlement;
    if (settlement === undefined) return 'stale';
    const { message } = classify(refusal);
    const error = {
      code: 'result_unstorable',
      message: `The store refused the outcome: ${message}`,
      retryable: false,
    };
    try {
      const [answer] = await persist([
        { job: settlement.job, outcome: { move: 'fail', error }, children: [] },
      ]);
      return answer === undefined || answer === 'stale' ? 'stale' : error;
    } catch (again) {
      events.emit('store.failed', { during: 'settle', error: again });
      return 'stale';
    }
  }

  function isFull(): boolean {
    return unanswered >= ROOM;
  }

  function flushed(withinMs: number): Promise<void> {
    if (unanswered === 0) return Promise.resolve();
    giveUpAt = clock.now() + withinMs;
    return new Promise((resolve) => {
      const takeBack = clock.after(withinMs, resolve);
      emptyWaiters.push(() => {
        takeBack();
        resolve();
      });
    });
  }

  return {
    settle,
    isFull,
    onRoom: (listener) => void roomListeners.push(listener),
    flushed,
    pending: () => unanswered,
  };
}
