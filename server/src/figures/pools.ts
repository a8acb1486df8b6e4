import { type KnownWorker, SILENT_AFTER_MS } from '@millrace/engine';
import { z } from 'zod';
import { slotsOf } from './held.ts';

/** A pool over all replicas that work. */
export interface PoolNow {
  readonly name: string;
  readonly inFlight: number;
  readonly slots: number;
}

/** What replicas report, perhaps of another version: what cannot be read is left out. */
const reported = z.object({
  state: z.string(),
  store: z.string().optional(),
  inFlight: z.number().default(0),
  pools: z.array(
    z.object({
      name: z.string(),
      concurrency: z.number(),
      inFlight: z.number(),
      kinds: z.array(z.string()).default([]),
    }),
  ),
});

/** `store`: whose workers these are. */
export function poolsOf(workers: readonly KnownWorker[], now: number, store: string): PoolNow[] {
  const pools = new Map<string, PoolNow>();
  for (const worker of workers) {
    const status = reported.safeParse(jsonOf(worker.stats)).data;
    if (status === undefined || now - worker.seenAt > SILENT_AFTER_MS || status.state === 'stopped')
      continue;
    for (const { name, concurrency, inFlight } of slotsOf(status, worker, store).pools) {
      const before = pools.get(name) ?? { name, inFlight: 0, slots: 0 };
      pools.set(name, {
        name,
        inFlight: before.inFlight + inFlight,
        slots: before.slots + concurrency,
      });
    }
  }
  return [...pools.values()];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
