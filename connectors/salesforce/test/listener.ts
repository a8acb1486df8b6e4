import { onTestFinished } from 'vitest';
import type { Salesforce } from '../src/index.ts';

/** What a listener was told, to be waited on. */
export interface Told {
  readonly events: unknown[];
  readonly states: string[];
  /** Ends when `isThere` holds. Looked at whenever something was told. */
  until(isThere: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

export const CHANNEL = '/event/Docgen_Wakeup__e';

export function listen(salesforce: Salesforce, channel = CHANNEL): Told {
  const events: unknown[] = [];
  const states: string[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const call of waiting) call();
  };
  const listening = salesforce.listen({
    channel,
    onEvent(data) {
      events.push(data);
      look();
    },
    onState(state) {
      states.push(state);
      look();
    },
  });
  onTestFinished(() => listening.stop());
  return {
    events,
    states,
    until: (isThere) =>
      new Promise((resolve) => {
        const call = (): void => {
          if (!isThere()) return;
          waiting.delete(call);
          resolve();
        };
        waiting.add(call);
        call();
      }),
    stop: () => listening.stop(),
  };
}
