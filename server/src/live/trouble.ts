import type { Log } from '@millrace/engine';

/** A store that is away is worth one line when it goes and one when it is back, not one per try. */
export interface Trouble {
  failed(error: unknown): void;
  fine(): void;
}

export function createTrouble(log: Log, what: string): Trouble {
  let isFailing = false;
  return {
    failed(error) {
      if (isFailing) return;
      isFailing = true;
      log.warn({ err: error }, `${what} cannot reach the store and will try again.`);
    },
    fine() {
      if (!isFailing) return;
      isFailing = false;
      log.info({}, `${what} can reach the store again.`);
    },
  };
}
