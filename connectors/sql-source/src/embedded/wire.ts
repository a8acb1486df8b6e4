import type { MessagePort } from 'node:worker_threads';

/** The messages to and from the thread of the embedded database. A session's bytes go through a port of its own. */
export type Order =
  | { readonly type: 'session'; readonly port: MessagePort; readonly control: SharedArrayBuffer }
  | { readonly type: 'close' };

export type Notice =
  | { readonly type: 'open' }
  /** It could not be opened, or has stopped; the thread ends. */
  | { readonly type: 'failed'; readonly message: string }
  /** The last session is over, and nothing of it is left. */
  | { readonly type: 'idle' };

/**
 * Memory that both threads see. The database writes its answers while a statement runs, and its thread hears of nothing else
 * meanwhile: here it sees that it has to wait for the reader, or that nobody wants the rest.
 */
export interface Control {
  /** Adds to the bytes that the reader has not taken yet. */
  sent(bytes: number): void;
  taken(bytes: number): void;
  /** Sleeps while more than `most` are under way. For the thread of the database only. */
  waitUntilTaken(most: number): void;
  cancel(): void;
  isCancelled(): boolean;
}

const [UNDER_WAY, CANCELLED] = [0, 1];
export const CONTROL_BYTES = 8;

export function controlOf(memory: SharedArrayBuffer): Control {
  const cells = new Int32Array(memory);
  const isCancelled = (): boolean => Atomics.load(cells, CANCELLED) === 1;
  return {
    sent: (bytes) => void Atomics.add(cells, UNDER_WAY, bytes),
    taken(bytes) {
      Atomics.sub(cells, UNDER_WAY, bytes);
      Atomics.notify(cells, UNDER_WAY);
    },
    waitUntilTaken(most) {
      for (;;) {
        const underWay = Atomics.load(cells, UNDER_WAY);
        if (underWay <= most || isCancelled()) return;
        Atomics.wait(cells, UNDER_WAY, underWay);
      }
    },
    cancel() {
      if (Atomics.exchange(cells, CANCELLED, 1) === 1) return;
      // Wakes the thread by a change of what it waits for: it may be about to wait just now.
      Atomics.sub(cells, UNDER_WAY, WAKING);
      Atomics.notify(cells, UNDER_WAY);
    },
    isCancelled,
  };
}

/** Less than nothing is under way then. */
const WAKING = 1 << 30;
