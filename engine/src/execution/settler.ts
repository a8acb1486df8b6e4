import { type FailureRecord, StoreTimedOut, StoreUnavailable } from '../errors.ts';
import type { Events } from '../events.ts';
import type { Refused, SettleAnswer, Settlement, Store, Unknown } from '../port.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { classify } from '../values/failure.ts';

/** An outcome that waits to be written, and learns what became of it. */
export interface Settling extends Settlement {
  answer(answer: Settled): void;
}

/** A failure: it was written instead, because the store refused the outcome itself. */
export type Settled = Exclude<SettleAnswer, Unknown> | FailureRecord;

/** The handler is done, but what it asked the store to do with it cannot be. */
export function isRefused(answer: Settled): answer is Refused {
  return typeof answer === 'object' && 'refused' in answer;
}

function isUnknown(answer: SettleAnswer): answer is Unknown {
  return typeof answer === 'object' && 'unknown' in answer;
}

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
  /** Outcomes that have no answer yet: their leases are kept until they have one. */
  unanswered(): Iterable<Settling>;
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

interface Params {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Events;
}

export function createSettler(params: Params): Settler {
  const { store, clock, events } = params;
  const writes = createWrites(params, answered);
  const emptyWaiters: (() => void)[] = [];
  const roomListeners: (() => void)[] = [];
  let waiting: Settling[] = [];
  let unanswered = 0;
  let writers = 0;

  function settle(settling: Settling): void {
    unanswered += 1;
    waiting.push(settling);
    if (writers === 0) {
      writers += 1;
      writes.giveUpAt(Infinity);
      // One turn of the event loop gathers what ends together.
      clock.after(store.gatherMs ?? 0, () => void writeAll());
    } else if (waiting.length >= BATCH.count && writers < WRITERS) {
      writers += 1;
      void writeAll();
    }
  }

  async function writeAll(): Promise<void> {
    for (let first = true; waiting.length > 0; first = false) {
      if (!first && store.gatherMs !== undefined) await sleep(clock, store.gatherMs);
      const batch = takeBatch();
      if (batch.length === 0) continue;
      events.emit('settle.flushed', { size: batch.length });
      await writes.write(batch);
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

  function answered(count: number): void {
    const wasFull = isFull();
    unanswered -= count;
    if (wasFull && !isFull()) for (const listener of roomListeners) listener();
    if (unanswered === 0) for (const resolve of emptyWaiters.splice(0)) resolve();
  }

  function isFull(): boolean {
    return unanswered >= ROOM;
  }

  function flushed(withinMs: number): Promise<void> {
    if (unanswered === 0) return Promise.resolve();
    writes.giveUpAt(clock.now() + withinMs);
    return new Promise((resolve) => {
      const cancelTimer = clock.after(withinMs, resolve);
      emptyWaiters.push(() => {
        cancelTimer();
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
      yield* writes.underWay();
    },
  };
}

/** Batches that were handed in, until each of their outcomes has its answer. */
interface Writes {
  write(batch: readonly Settling[]): Promise<void>;
  underWay(): Iterable<Settling>;
  /** From that moment on, a store that is away is asked no more, and what it was to write is stale. */
  giveUpAt(moment: number): void;
}

function createWrites({ store, clock, events }: Params, answered: (count: number) => void): Writes {
  const underWay = new Set<readonly Settling[]>();
  let endsAt = Infinity;

  async function write(batch: readonly Settling[]): Promise<void> {
    underWay.add(batch);
    const answers = await askStore(batch).catch((error: unknown) => ({ error }));
    underWay.delete(batch);
    if ('error' in answers) return splitBatch(batch, answers.error);
    const unknown: Settling[] = [];
    let failure: StoreUnavailable | null = null;
    for (const [index, settling] of batch.entries()) {
      const answer = answers[index] ?? 'stale';
      if (isUnknown(answer)) {
        unknown.push(settling);
        failure = answer.unknown;
      } else deliver(settling, answer);
    }
    answered(batch.length - unknown.length);
    if (failure === null) return;
    events.emit('store.failed', { during: 'settle', error: failure });
    void writeLater(unknown);
  }

  /** Asks again until the store answers, or nobody waits any more. Throws where a smaller batch may help. */
  async function askStore(settlements: readonly Settlement[]): Promise<SettleAnswer[]> {
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

  /** Beside the others, which do not wait: someone may hold one row of a store for long. */
  async function writeLater(batch: readonly Settling[]): Promise<void> {
    underWay.add(batch);
    await sleep(clock, RETRY_MS.first);
    underWay.delete(batch);
    await write(batch);
  }

  async function splitBatch(batch: readonly Settling[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      // One that takes too long is tried again beside the others, which do not wait for it.
      if (error instanceof StoreTimedOut) void keepTrying(only, error);
      else finish(only, await failUnstorable(only, error));
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    const [first, second] = [batch.slice(0, middle), batch.slice(middle)];
    // The second half waits for the first, and keeps its leases meanwhile.
    underWay.add(second);
    await write(first);
    underWay.delete(second);
    await write(second);
  }

  async function keepTrying(settling: Settling, timeOut: StoreTimedOut): Promise<void> {
    const alone = [settling];
    underWay.add(alone);
    let error: unknown = timeOut;
    for (let tries = 1; error instanceof StoreTimedOut; tries += 1) {
      // A store that answers other questions is well: then it is this outcome that it cannot take.
      if (tries >= TIME_OUTS && (await isStoreWell())) break;
      await sleep(clock, Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most));
      try {
        const answer = await askAlone(settling);
        underWay.delete(alone);
        return finish(settling, answer);
      } catch (again) {
        error = again;
      }
    }
    const answer = await failUnstorable(settling, error);
    underWay.delete(alone);
    finish(settling, answer);
  }

  /** The outcome itself cannot be stored: the job fails and says so. If even that is refused, its lease runs out. */
  async function failUnstorable({ job }: Settlement, refusal: unknown): Promise<Settled> {
    const error = {
      code: 'result_unstorable',
      message: `The store refused the outcome: ${classify(refusal).message}`,
      retryable: false,
    };
    const outcome = { move: 'fail', error, stack: null } as const;
    for (let tries = 0; ; tries += 1) {
      try {
        const answer = await askAlone({ job, outcome, children: [] });
        return answer === 'stale' ? 'stale' : error;
      } catch (again) {
        events.emit('store.failed', { during: 'settle', error: again });
        if (!(again instanceof StoreTimedOut)) return 'stale';
        await sleep(clock, Math.min(RETRY_MS.first * 2 ** tries, RETRY_MS.most));
      }
    }
  }

  async function askAlone(settlement: Settlement): Promise<Settled> {
    const [answer = 'stale'] = await askStore([settlement]);
    return isUnknown(answer) ? 'stale' : answer;
  }

  async function isStoreWell(): Promise<boolean> {
    try {
      await store.now();
      return true;
    } catch {
      return false;
    }
  }

  function finish(settling: Settling, answer: Settled): void {
    deliver(settling, answer);
    answered(1);
  }

  /** An error that one of them makes of its answer does not keep the others from theirs. */
  function deliver(settling: Settling, answer: Settled): void {
    try {
      settling.answer(answer);
    } catch (error) {
      events.emit('store.failed', { during: 'settle', error });
    }
  }

  return {
    write,
    *underWay() {
      for (const batch of underWay) yield* batch;
    },
    giveUpAt(moment) {
      endsAt = moment;
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
