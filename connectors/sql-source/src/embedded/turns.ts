import { aborted, refuseAborted } from '../errors.ts';

/** One at a time, in the order in which they asked. */
export interface Turns {
  /** Gives the function that ends the turn. */
  take(signal?: AbortSignal): Promise<() => void>;
  isTaken(): boolean;
}

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;

  /** Once, however often it is called. */
  function turn(): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    };
  }

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(aborted(signal?.reason));
      };
      waiting.push(begin);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async take(signal) {
      refuseAborted(signal);
      if (taken) await wait(signal);
      taken = true;
      return turn();
    },
    isTaken: () => taken,
  };
}
