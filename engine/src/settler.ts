import { type Clock, sleep } from './clock.ts';
import { type FailureRecord, StoreTimedOut, StoreUnavailable } from './errors.ts';
import { classify } from './failure.ts';
import type { Events } from './events.ts';
import type { Refused, SettleAnswer, Settlement, Store, Unknown } from './port.ts';

/**
 * Outcomes are written together: what arrives while a write is under way forms the next batch, so a lone
 * outcome waits for nobody and a flood is written by the thousand. A batch that the store refuses, or does not finish
 * in time, is split until the one bad outcome stands alone; a store that does not answer is asked again for as long as
 * the worker lives, since "already settled" and "stale" are answers it can give later.
 */
export interface Settler {
  settle(settling: Settling): void;
  /** So many outcomes wait that nothing more should be claimed. */
  isFull(): boolean;
  /** Called each time there is room again. */
  onRoom(listener: () => void): void;
  /** Resolves when everything handed in has been answered, or after so long; what is left then is given up. */
  flushed(withinMs: number): Promise<void>;
  pending(): number;
  /** The outcomes without an answer: their leases are renewed until they have one. */
  unanswered(): Iterable<Settling>;
}

/** An outcome that waits to be written, and is told what became of it. */
export interface Settling extends Settlement {
  answer(answer: Settled): void;
}

/** The failure that was written instead, when the store refused the outcome itself. */
export type Settled = Exclude<SettleAnswer, Unknown> | FailureRecord;

/** The handler has ended, but its effects (files, links) could not be committed. */
export function isRefused(answer: Settled): answer is Refused {
  return typeof answer === 'object' && 'refused' in answer;
}

function isUnknown(answer: SettleAnswer): answer is Unknown {
  return typeof answer === 'object' && 'unknown' in answer;
}

/** One statement: by count, and by size, since a statement that runs into a time-out writes nothing. */
const BATCH = { count: 1_000, bytes: 8_000_000 };
/** Outcomes held in memory before claiming stops. */
const ROOM = 10_000;
/** Two writes at a time: the second batch travels while the first is being committed. */
const WRITERS = 2;
const RETRY_MS = { first: 50, most: 5_000 };
/** Time-outs of a lone outcome, on a store that answers otherwise, after which it counts as unstorable. */
const TIME_OUTS = 5;

export function createSettler(params: { store: Store; clock: Clock; events: Events }): Settler {
  const { store, clock, events } = params;
  let waiting: Settling[] = [];
  /** Taken from `waiting` and not answered. */
  const underWay = new Set<readonly Settling[]>();
  let unanswered = 0;
  let writers = 0;
  let giveUpAt = Infinity;
  const emptyWaiters: (() => void)[] = [];
  const roomListeners: (() => void)[] = [];

  function settle(settling: Settling): void {
    unanswered += 1;
    waiting.push(settling);
    if (writers === 0) {
      writers += 1;
      giveUpAt = Infinity;
      // One turn of the event loop gathers what ends together.
      clock.after(store.gatherMs ?? 0, () => void write());
    } else if (waiting.length >= BATCH.count && writers < WRITERS) {
      writers += 1;
      void write();
    }
  }

  async function write(): Promise<void> {
    for (let first = true; waiting.length > 0; first = false) {
      if (!first && store.gatherMs !== undefined) await sleep(clock, store.gatherMs);
      const batch = takeBatch();
      if (batch.length === 0) continue;
      events.emit('settle.flushed', { size: batch.length });
      await writeBatch(batch);
    }
    writers -= 1;
  }

  function takeBatch(): Settling[] {
    let count = 0;
    for (let bytes = 0; count < waiting.length && count < BATCH.count; count += 1) {
      const next = waiting[count];
      if (next === undefined) break;
      bytes += sizeOf(next);
      if (bytes > BATCH.bytes && count > 0) break;
    }
    return waiting.splice(0, count);
  }

  async function writeBatch(batch: readonly Settling[]): Promise<void> {
    underWay.add(batch);
    const answers = await persist(batch).catch((error: unknown) => ({ error }));
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
    answered(batch.length - unknown.length);
    if (failure === null) return;
    events.emit('store.failed', { during: 'settle', error: failure });
    void writeLater(unknown);
  }

  /**
   * Writes the batch again after a moment, beside the others, which do not wait for it: somebody may hold one row of
   * a store for long.
   */
  async function writeLater(batch: readonly Settling[]): Promise<void> {
    underWay.add(batch);
    await sleep(clock, RETRY_MS.first);
    underWay.delete(batch);
    await writeBatch(batch);
  }

  async function splitBatch(batch: readonly Settling[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) return writeAlone(only, error);
    const middle = Math.ceil(batch.length / 2);
    const [first, second] = [batch.slice(0, middle), batch.slice(middle)];
    // The second half waits for the first, and keeps its leases meanwhile.
    underWay.add(second);
    await writeBatch(first);
    underWay.delete(second);
    await writeBatch(second);
  }

  /** Writes one outcome alone. One that times out is tried again beside the others, which do not wait for it. */
  async function writeAlone(settling: Settling, error: unknown): Promise<void> {
    if (error instanceof StoreTimedOut) void keepTrying(settling, error);
    else finishAlone(settling, await settleAsUnstorable(settling, error));
  }

  function finishAlone(settling: Settling, answer: Settled): void {
    tell(settling, answer);
    answered(1);
  }

  /**
   * Gives an outcome its answer. An error thrown by its owner is reported and dropped: the others of the batch still
   * need theirs.
   */
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
      if (tries >= TIME_OUTS && (await isWell())) break;
      await sleep(clock, Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most));
      try {
        const answer = await persistAlone(settling);
        underWay.delete(alone);
        return finishAlone(settling, answer);
      } catch (again) {
        error = again;
      }
    }
    const answer = await settleAsUnstorable(settling, error);
    underWay.delete(alone);
    finishAlone(settling, answer);
  }

  async function isWell(): Promise<boolean> {
    try {
      await store.now();
      return true;
    } catch {
      return false;
    }
  }

  function answered(count: number): void {
    const wasFull = isFull();
    unanswered -= count;
    if (wasFull && !isFull()) for (const listener of roomListeners) listener();
    if (unanswered === 0) for (const resolve of emptyWaiters.splice(0)) resolve();
  }

  /** Asks again until the store answers, or nobody waits any more. Throws what a smaller batch may help against. */
  async function persist(settlements: readonly Settlement[]): Promise<SettleAnswer[]> {
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
        if (clock.now() >= giveUpAt) return settlements.map(() => 'stale');
        if (error instanceof StoreTimedOut) throw error;
        await sleep(clock, wait);
      }
    }
  }

  async function persistAlone(settlement: Settlement): Promise<Settled> {
    const [answer = 'stale'] = await persist([settlement]);
    return isUnknown(answer) ? 'stale' : answer;
  }

  /** The outcome itself cannot be stored: the job fails and says so. If even that is refused, its lease runs out. */
  async function settleAsUnstorable({ job }: Settling, refusal: unknown): Promise<Settled> {
    const { message } = classify(refusal);
    const error = {
      code: 'result_unstorable',
      message: `The store refused the outcome: ${message}`,
      retryable: false,
    };
    const outcome = { move: 'fail', error, stack: null } as const;
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await persistAlone({ job, outcome, children: [] });
        return answer === 'stale' ? 'stale' : error;
      } catch (again) {
        events.emit('store.failed', { during: 'settle', error: again });
        if (!(again instanceof StoreTimedOut)) return 'stale';
        await sleep(clock, Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most));
      }
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
    *unanswered() {
      yield* waiting;
      for (const batch of underWay) yield* batch;
    },
  };
}

/** Roughly the bytes of the statement that writes it. */
function sizeOf({ outcome, children }: Settlement): number {
  let size = 50;
  if (outcome.move === 'succeed') size += outcome.result.length;
  else if (outcome.move === 'defer') size += outcome.payload?.length ?? 0;
  else if (outcome.move === 'fail' || outcome.move === 'retry')
    size += outcome.error.message.length + (outcome.stack?.length ?? 0);
  for (const { payload } of children) size += payload.length;
  return size;
}
