import type { Log } from '@millrace/engine';

/** A store that is away is worth one line when it goes and one when it is back, not one per try. */
export interface Trouble {
  failed(error: unknown): void;
  fine(): void;
  /** Does work that nobody waits for, and says how it went. Never throws. */
  during(work: () => Promise<unknown>): Promise<void>;
}

export function createTrouble(log: Log, what: string): Trouble {
  let isFailing = false;

  function failed(error: unknown): void {
    if (isFailing) return;
    isFailing = true;
    log.warn({ err: error }, `${what} cannot reach the store and will try again.`);
  }

  function fine(): void {
    if (!isFailing) return;
    isFailing = false;
    log.info({}, `${what} can reach the store again.`);
  }

  async function during(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      fine();
    } catch (error) {
      failed(error);
    }
  }

  return { failed, fine, during };
}
