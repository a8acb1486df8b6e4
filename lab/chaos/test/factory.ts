import {
  type Duration,
  type Events,
  type JobKind,
  type Queue,
  type Store,
  type Worker,
  createEvents,
  createQueue,
  createRegistry,
  createWorker,
} from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';

/** The engine on a real store with the real clock, as a process would wire it. */
export function startFactory(params: {
  store: Store;
  kinds: readonly JobKind[];
  id: string;
  lease?: Duration;
  concurrency?: number;
}): {
  queue: Queue;
  worker: Worker;
  events: Events;
} {
  const { store, kinds, id, lease = '2m', concurrency = 50 } = params;
  const registry = createRegistry(kinds);
  const events = createEvents();
  const queue = createQueue({ store, registry, events });
  const worker = createWorker({
    config: {
      id,
      lease,
      shutdownGrace: '5s',
      pools: [{ name: 'all', concurrency, batch: 50, interval: { active: 100, idle: 500 } }],
    },
    store,
    registry,
    clock: systemClock,
    random: Math.random,
    events,
  });
  return { queue, worker, events };
}

/** Waits for a condition that only the store can tell. Fails by the test's own time-out. */
export async function until(condition: () => Promise<boolean>, everyMs = 50): Promise<void> {
  while (!(await condition().catch(() => false)))
    await new Promise((resolve) => setTimeout(resolve, everyMs));
}
