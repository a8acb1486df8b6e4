import { MarketingCloudError } from '../errors.ts';
import { closedError } from './wire.ts';

/** So many requests at once, first come, first served. */
export interface Gate {
  /** Resolves with the way out, which may be taken more than once. */
  enter(signal: AbortSignal | undefined): Promise<() => void>;
  /** Turns away who waits and who comes. */
  close(): void;
}

interface Waiting {
  admit(): void;
  refuse(error: MarketingCloudError): void;
}

export function createGate(slots: number): Gate {
  const queue = new Set<Waiting>();
  let free = slots;
  let closed = false;

  function pump(): void {
    for (const waiting of queue) {
      if (free === 0) return;
      free -= 1;
      queue.delete(waiting);
      waiting.admit();
    }
  }

  function wayOut(): () => void {
    let out = false;
    return () => {
      if (out) return;
      out = true;
      free += 1;
      pump();
    };
  }

  return {
    enter(signal) {
      if (closed) return Promise.reject(closedError());
      if (signal?.aborted === true) return Promise.reject(canceledError());
      return new Promise((resolve, reject) => {
        const settle = (): void => {
          queue.delete(waiting);
          signal?.removeEventListener('abort', onAbort);
        };
        const onAbort = (): void => waiting.refuse(canceledError());
        const waiting: Waiting = {
          admit() {
            settle();
            resolve(wayOut());
          },
          refuse(error) {
            settle();
            reject(error);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        queue.add(waiting);
        pump();
      });
    },
    close() {
      closed = true;
      for (const waiting of queue) waiting.refuse(closedError());
    },
  };
}

function canceledError(): MarketingCloudError {
  return new MarketingCloudError('The caller called the request off before it was sent.', {
    code: 'canceled',
    kind: 'unavailable',
    outcome: 'notSent',
    retryable: false,
  });
}
