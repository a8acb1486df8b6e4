import type { Events } from '../events.ts';
import type { WorkerState } from './status.ts';

/** The state that a worker is in, and who waits for another one. */
export interface Lifecycle {
  state(): WorkerState;
  enter(next: WorkerState): void;
  /** While the worker is paused, a promise of the next state; else null. */
  held(): Promise<void> | null;
}

export function createLifecycle(worker: string, events: Events): Lifecycle {
  let state: WorkerState = 'stopped';
  let waiting: (() => void)[] = [];
  return {
    state: () => state,
    enter(next) {
      state = next;
      events.emit('worker.state', { worker, state: next });
      for (const goOn of waiting.splice(0)) goOn();
    },
    held: () => (state === 'paused' ? new Promise((resolve) => waiting.push(resolve)) : null),
  };
}
