import type { Hint, Lease, Store } from '@millrace/engine';
import type { Cluster, Redis } from 'ioredis';
import { distrust } from './connect.ts';
import { storeError } from './errors.ts';
import { kindOf } from './names.ts';

export interface Hints extends Pick<Store, 'watch'> {
  stop(): void;
}

/** One subscription for the process, which hears what every process publishes, itself included. */
export async function startHints(
  subscriber: Redis | Cluster,
  { prefix, pingEveryMs }: { readonly prefix: string; readonly pingEveryMs: number },
): Promise<Hints> {
  const listeners = new Set<(hint: Hint) => void>();

  function tell(hint: Hint): void {
    for (const listener of listeners) {
      try {
        listener(hint);
      } catch {
        // An error of one listener must not keep the hint from the others.
      }
    }
  }

  subscriber.on('message', (_channel: string, message: string) => {
    const hint = read(message);
    if (hint !== null) tell(hint);
  });
  try {
    await subscriber.subscribe(`${prefix}.hints`);
  } catch (error) {
    throw storeError(error);
  }
  // The subscription is renewed by the driver. What was published meanwhile is lost: everyone looks for themselves.
  subscriber.on('ready', () => tell({ type: 'control' }));

  // Nothing is sent here that would miss an answer. Of a cluster, the driver pings another connection than this one.
  const pings = setInterval(() => {
    if (!subscriber.isCluster && subscriber.status === 'ready')
      subscriber.ping().catch((error: unknown) => distrust(subscriber, error));
  }, pingEveryMs);
  pings.unref();

  return {
    watch(listener) {
      const own = (hint: Hint): void => listener(hint);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    stop() {
      clearInterval(pings);
      listeners.clear();
    },
  };
}

/** Null for what is no hint of this version. */
function read(message: string): Hint | null {
  const [, type, json = ''] = /^(\w+) (.*)$/s.exec(message) ?? [];
  try {
    if (type === 'ready')
      return { type, kinds: (JSON.parse(json) as string[]).map((queue) => kindOf(queue)) };
    if (type === 'cancel') return { type, leases: JSON.parse(json) as Lease[] };
  } catch {
    // Said below.
  }
  return null;
}
