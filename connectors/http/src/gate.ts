import type { HttpError, Peer } from './errors.ts';

/**
 * So many requests at once. A fifth of the slots, and one at least, is left to interactive calls, so none waits for a batch
 * call to end; where both wait, every fifth start is batch's. Interactive calls alone go first come, first served.
 */
export interface Gate {
  /** Resolves with the way out, which may be taken more than once. */
  enter(signal: AbortSignal | undefined, lane?: Lane): Promise<() => void>;
  /** Turns away who waits and who comes. */
  close(): void;
}

export type Lane = 'interactive' | 'batch';

interface Waiting {
  readonly lane: Lane;
  admit(): void;
  refuse(error: HttpError): void;
}

const INTERACTIVE_TURNS = 4;

export function createGate(slots: number, peer: Peer): Gate {
  const batchSlots = Math.max(1, slots - Math.max(1, Math.floor(slots / 5)));
  const queues = { interactive: new Set<Waiting>(), batch: new Set<Waiting>() };
  const inside = { interactive: 0, batch: 0 };
  const canceled = (): HttpError => peer.ended('canceled', 'notSent');
  let turns = 0;
  let closed = false;

  function first(lane: Lane): Waiting | undefined {
    for (const waiting of queues[lane]) return waiting;
    return undefined;
  }

  function next(): Waiting | undefined {
    if (inside.interactive + inside.batch >= slots) return undefined;
    const interactive = first('interactive');
    const batch = inside.batch < batchSlots ? first('batch') : undefined;
    if (batch !== undefined && (interactive === undefined || turns >= INTERACTIVE_TURNS)) {
      turns = 0;
      return batch;
    }
    turns = batch === undefined ? 0 : turns + 1;
    return interactive;
  }

  function pump(): void {
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      queues[waiting.lane].delete(waiting);
      inside[waiting.lane] += 1;
      waiting.admit();
    }
  }

  function wayOut(lane: Lane): () => void {
    let out = false;
    return () => {
      if (out) return;
      out = true;
      inside[lane] -= 1;
      pump();
    };
  }

  return {
    enter(signal, lane = 'interactive') {
      if (closed) return Promise.reject(peer.closed());
      if (signal?.aborted === true) return Promise.reject(canceled());
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          queues[lane].delete(waiting);
          reject(canceled());
        };
        const waiting: Waiting = {
          lane,
          admit() {
            signal?.removeEventListener('abort', onAbort);
            resolve(wayOut(lane));
          },
          refuse(error) {
            signal?.removeEventListener('abort', onAbort);
            reject(error);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        queues[lane].add(waiting);
        pump();
      });
    },
    close() {
      closed = true;
      for (const queue of Object.values(queues)) {
        for (const waiting of queue) waiting.refuse(peer.closed());
        queue.clear();
      }
    },
  };
}
