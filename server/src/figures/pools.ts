import { SILENT_AFTER_MS, type ControlPart } from '@millrace/engine';
import { z } from 'zod';

/** A pool over all replicas that work. */
export interface PoolNow {
  readonly name: string;
  readonly inFlight: number;
  readonly slots: number;
}

/** What replicas report, perhaps of another version: what cannot be read is left out. */
const reported = z.object({
  state: z.string(),
  pools: z.array(z.object({ name: z.string(), concurrency: z.number(), inFlight: z.number() })),
});

type Workers = Awaited<ReturnType<ControlPart['workers']>>;

export function poolsOf(workers: Workers, now: number): PoolNow[] {
  const pools = new Map<string, PoolNow>();
  for (const { stats, seenAt } of workers) {
    const status = reported.safeParse(jsonOf(stats)).data;
    if (status === undefined || now - seenAt > SILENT_AFTER_MS || status.state === 'stopped')
      continue;
    for (const { name, concurrency, inFlight } of status.pools) {
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
