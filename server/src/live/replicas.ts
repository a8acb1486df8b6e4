import type { Replica } from '@millrace/api';
import type { Store } from '@millrace/engine';
import { z } from 'zod';
import { iso, isoOrNull } from '../routes/json/job.ts';

/** What other replicas wrote, perhaps of another version: what cannot be read is left out. */
const reported = z.object({
  id: z.string(),
  state: z.enum(['running', 'paused', 'stopping', 'stopped']),
  uptimeMs: z.number(),
  inFlight: z.number(),
  lastPoll: z.number().nullable(),
  totals: z.object({
    processed: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    retries: z.number(),
  }),
});

/** Every replica that has reported in the last minute. */
export async function replicas(store: Store): Promise<Replica[]> {
  const workers = await store.workers();
  return workers.flatMap(({ kinds, stats, seenAt }) => {
    const status = reported.safeParse(jsonOf(stats)).data;
    if (status === undefined) return [];
    const { id, state, uptimeMs, inFlight, lastPoll, totals } = status;
    return {
      id,
      state,
      seenAt: iso(seenAt),
      lastPollTime: isoOrNull(lastPoll),
      uptimeSeconds: Math.floor(uptimeMs / 1_000),
      inFlight,
      kinds: [...kinds],
      totalProcessed: totals.processed,
      totalSucceeded: totals.succeeded,
      totalFailed: totals.failed,
      totalRetries: totals.retries,
    };
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
