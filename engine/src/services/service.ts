import type { Clock } from '../time/clock.ts';
import type { Events } from '../events.ts';

/** Background services share one shape: `runOnce` does one round and says when the next is wanted. */
export interface Service {
  readonly name: string;
  runOnce(): Promise<{ nextMs: number }>;
}

/** Rounds never overlap, and a failing round is reported and tried again. */
export function startService(
  service: Service,
  clock: Clock,
  events: Events,
  retryMs: number,
): { stop(): Promise<void> } {
  let stopped = false;
  let cancelTimer: () => void = () => {};
  // The first round begins in the next microtask, when the caller has finished starting.
  let round = Promise.resolve().then(once);

  async function once(): Promise<void> {
    let nextMs = retryMs;
    try {
      ({ nextMs } = await service.runOnce());
    } catch (error) {
      events.emit('store.failed', { during: service.name, error });
    }
    if (stopped) return;
    cancelTimer = clock.after(nextMs, () => {
      round = once();
    });
  }

  return {
    async stop() {
      stopped = true;
      cancelTimer();
      await round;
    },
  };
}
