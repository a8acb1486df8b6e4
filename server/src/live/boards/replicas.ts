import { iso, isoOrNull } from '@millrace/workload-kit';
import type { Replica } from '@millrace/api';
import { type AskedStore, type JobId, SILENT_AFTER_MS, type Steered } from '@millrace/engine';
import { z } from 'zod';
import { slotsOf } from '../../figures/held.ts';
import { heldJson } from '../../routes/json/held.ts';

/** Parses reports of other replicas, perhaps of another version; unreadable parts are left out. */
const reported = z.object({
  id: z.string(),
  state: z.enum(['running', 'paused', 'stopping', 'stopped']),
  store: z.string().optional(),
  version: z.string().nullable().default(null),
  uptimeMs: z.number(),
  inFlight: z.number(),
  lastPoll: z.number().nullable(),
  totals: z.object({
    processed: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    retries: z.number(),
  }),
  jobs: z.array(z.string()).default([]),
  pools: z
    .array(
      z.object({
        name: z.string(),
        concurrency: z.number(),
        inFlight: z.number(),
        kinds: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  tookOver: z
    .array(
      z.object({
        worker: z.string(),
        at: z.number(),
        count: z.number(),
        jobs: z.array(z.string()),
      }),
    )
    .default([]),
});
type Reported = z.infer<typeof reported>;

/**
 * Every replica of the last hour. One that has missed three reports is silent, whatever it said last; one that said
 * that it stops for good is not missed. Of the jobs that are named, those that the caller may see.
 */
export async function replicas(
  store: Pick<Required<AskedStore>, 'name' | 'now' | 'control' | 'summaries'>,
): Promise<Replica[]> {
  const [now, workers, steered] = await Promise.all([
    store.now(),
    store.control.workers(),
    store.control.steered(),
  ]);
  const told = workers.flatMap(({ kinds, stats, seenAt, running }) => {
    const status = reported.safeParse(jsonOf(stats)).data;
    return status === undefined ? [] : [{ kinds, seenAt, status, running }];
  });
  const isShown = await shownOf(
    store,
    told.flatMap(({ status }) => [...status.jobs, ...status.tookOver.flatMap(({ jobs }) => jobs)]),
  );
  return told.flatMap(({ kinds, seenAt, status, running }) => {
    const { id, state, version, uptimeMs, lastPoll, totals } = status;
    const { inFlight, pools } = slotsOf(status, { running }, store.name);
    const isSilent = now - seenAt > SILENT_AFTER_MS;
    if (isSilent && state === 'stopped') return [];
    return {
      id,
      state: isSilent ? ('silent' as const) : state,
      version,
      seenAt: iso(seenAt),
      startedAt: iso(seenAt - uptimeMs),
      lastPollTime: isoOrNull(lastPoll),
      uptimeSeconds: Math.floor(uptimeMs / 1_000),
      inFlight,
      jobs: status.jobs.filter(isShown),
      pools: pools.map(({ name, concurrency, inFlight: taken }) => ({
        name,
        concurrency,
        inFlight: taken,
      })),
      kinds: [...kinds],
      wanted: wantedOf(steered, id),
      takenOver: takenFrom(
        id,
        told.map((each) => each.status),
        isShown,
      ),
      totalProcessed: totals.processed,
      totalSucceeded: totals.succeeded,
      totalFailed: totals.failed,
      totalRetries: totals.retries,
    };
  });
}

/** For what is sent to all alike: a replica's jobs are of one tenant or another, and are named to nobody. */
export function replicasForAll({
  name,
  control,
  now,
}: Pick<Required<AskedStore>, 'name' | 'now' | 'control'>): Promise<Replica[]> {
  return replicas({ name, control, now, summaries: async () => [] });
}

function wantedOf(steered: readonly Steered[], id: string): Replica['wanted'] {
  const found = steered.find(({ worker }) => worker === id || id.startsWith(`${worker}.`));
  const held = heldJson(found ?? null);
  return found === undefined || held === null ? null : { ...held, state: found.to };
}

/** Whoever took something over has noted from whom. */
function takenFrom(
  id: string,
  others: readonly Reported[],
  isShown: (job: JobId) => boolean,
): Replica['takenOver'] {
  const found = others.flatMap((other) =>
    other.tookOver.filter(({ worker }) => worker === id).map((each) => ({ ...each, by: other.id })),
  );
  const last = found.toSorted((a, b) => b.at - a.at)[0];
  if (last === undefined) return null;
  return {
    at: iso(last.at),
    by: last.by,
    count: found.reduce((sum, { count }) => sum + count, 0),
    jobs: [...new Set(found.flatMap(({ jobs }) => jobs))].filter(isShown).slice(0, 10),
  };
}

async function shownOf(
  store: Pick<Required<AskedStore>, 'summaries'>,
  ids: readonly JobId[],
): Promise<(id: JobId) => boolean> {
  const asked = [...new Set(ids)];
  const found = asked.length === 0 ? [] : await store.summaries({ ids: asked });
  const shown = new Set(found.map(({ id }) => id));
  return (id) => shown.has(id);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
