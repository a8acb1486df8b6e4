import { iso, isoOrNull } from '@millrace/workload-kit';
import type { Replica } from '@millrace/api';
import { type AskedStore, SILENT_AFTER_MS } from '@millrace/engine';
import { z } from 'zod';

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

/**
 * Every replica of the last hour. One that has missed three reports is silent, whatever it said last; one that said
 * that it stops for good is not missed.
 */
export async function replicas(
  store: Pick<Required<AskedStore>, 'now' | 'control'>,
): Promise<Replica[]> {
  const [now, workers] = await Promise.all([store.now(), store.control.workers()]);
  return workers.flatMap(({ kinds, stats, seenAt }) => {
    const status = reported.safeParse(jsonOf(stats)).data;
    if (status === undefined) return [];
    const { id, state, uptimeMs, inFlight, lastPoll, totals } = status;
    const isSilent = now - seenAt > SILENT_AFTER_MS;
    if (isSilent && state === 'stopped') return [];
    return {
      id,
      state: isSilent ? ('silent' as const) : state,
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
