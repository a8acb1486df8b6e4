import type { Events } from '../events.ts';
import type { Settlement, Store } from '../port.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { createPersist } from './persist.ts';
import { type Settling, createWriter } from './writer.ts';

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
  /** What has no answer yet: its leases are kept until it has one. */
  unanswered(): Iterable<Settling>;
}

/** One statement: by count, and by size, since a statement that runs into a time-out writes nothing. */
const BATCH = { count: 1_000, bytes: 8_000_000 };
/** Outcomes held in memory before claiming stops. */
const ROOM = 10_000;
/** Two writes at a time: the second batch travels while the first is being committed. */
const WRITERS = 2;

export function createSettler(params: { store: Store; clock: Clock; events: Events }): Settler {
  const { store, clock, events } = params;
  let waiting: Settling[] = [];
  const persist = createPersist({ store, clock, events });
  const writer = createWriter({ persist, clock, events, onAnswered: answered });
  let unanswered = 0;
  let writers = 0;
  const emptyWaiters: (() => void)[] = [];
  const roomListeners: (() => void)[] = [];

  function settle(settling: Settling): void {
    unanswered += 1;
    waiting.push(settling);
    if (writers === 0) {
      writers += 1;
      persist.giveUpAt(Infinity);
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
      await writer.write(batch);
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
    persist.giveUpAt(clock.now() + withinMs);
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
      yield* writer.underWay();
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
