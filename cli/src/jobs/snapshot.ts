import { type Client, type JobState, jobState } from '@millrace/api';

/** How the service stands at one moment: what `stats` shows once and `watch` again and again. */
export interface Snapshot {
  readonly at: string;
  readonly states: Readonly<Record<JobState, number>>;
  /** How many of the QUEUED jobs are scheduled for later. */
  readonly scheduled: number;
  readonly counts: readonly KindCount[];
  /** Places that do not answer: their jobs are not counted. */
  readonly missing?: readonly string[];
  readonly worker: Awaited<ReturnType<Client['workerStats']>>;
}

type KindCount = Awaited<ReturnType<Client['counts']>>['counts'][number];

export async function takeSnapshot(client: Client, now: () => number): Promise<Snapshot> {
  const [{ states, scheduled, counts, missing }, worker] = await Promise.all([
    client.counts(),
    client.workerStats(),
  ]);
  return {
    at: new Date(now()).toISOString(),
    states,
    scheduled,
    counts,
    worker,
    ...(missing !== undefined && { missing }),
  };
}

export interface KindRow {
  readonly kind: string;
  readonly states: Readonly<Record<JobState, number>>;
  readonly scheduled: number;
}

/** One row per kind, over all tenants, by name. */
export function byKind(counts: readonly KindCount[]): KindRow[] {
  const rows = new Map<string, { states: Record<JobState, number>; scheduled: number }>();
  for (const { kind, state, count, scheduled } of counts) {
    const row = rows.get(kind) ?? { states: noJobs(), scheduled: 0 };
    row.states[state] += count;
    row.scheduled += scheduled;
    rows.set(kind, row);
  }
  return [...rows]
    .map(([kind, row]) => ({ kind, ...row }))
    .toSorted((a, b) => a.kind.localeCompare(b.kind, 'en'));
}

function noJobs(): Record<JobState, number> {
  return Object.fromEntries(jobState.options.map((state) => [state, 0])) as Record<
    JobState,
    number
  >;
}

/** Jobs that ended per second between two moments; what retention removed meanwhile is not counted. */
export function endedPerSecond(before: Snapshot, after: Snapshot): number {
  const seconds = (Date.parse(after.at) - Date.parse(before.at)) / 1_000;
  const ended = endedJobs(after) - endedJobs(before);
  return seconds <= 0 || ended <= 0 ? 0 : ended / seconds;
}

function endedJobs({ states }: Snapshot): number {
  return states.SUCCEEDED + states.FAILED + states.CANCELED;
}
