import { type Client, type JobState, jobState } from '@millrace/api';

/** How the service stands at one moment: what `stats` shows once and `watch` again and again. */
export interface Snapshot {
  readonly at: string;
  readonly states: Readonly<Record<JobState, number>>;
  readonly counts: readonly KindCount[];
  readonly worker: Awaited<ReturnType<Client['workerStats']>>;
}

type KindCount = Awaited<ReturnType<Client['counts']>>['counts'][number];

export async function takeSnapshot(client: Client, now: () => number): Promise<Snapshot> {
  const [{ states, counts }, worker] = await Promise.all([client.counts(), client.workerStats()]);
  return { at: new Date(now()).toISOString(), states, counts, worker };
}

export interface KindRow {
  readonly kind: string;
  readonly states: Readonly<Record<JobState, number>>;
}

/** One row per kind, over all tenants, by name. */
export function byKind(counts: readonly KindCount[]): KindRow[] {
  const rows = new Map<string, Record<JobState, number>>();
  for (const { kind, state, count } of counts) {
    const states = rows.get(kind) ?? noJobs();
    states[state] += count;
    rows.set(kind, states);
  }
  return [...rows]
    .map(([kind, states]) => ({ kind, states }))
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
