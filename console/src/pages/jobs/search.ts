import { type Client, type JobFilter, type JobSummary, jobFilter, narrowed } from '@millrace/api';
import { z } from 'zod';
import { type Phase, phaseOf } from '../../ui/state.tsx';

const asked = jobFilter.shape;

/**
 * What is looked at is in the address: a link shows the same list to whoever opens it. What the address says is checked as the
 * service would: a list that leaves a part of its filter out shows jobs that nobody asked for.
 */
export const jobsSearch = narrowed(
  z.strictObject({
    phase: asked.phase,
    state: asked.state,
    kind: asked.kind,
    tenant: asked.tenant,
    errorCode: asked.errorCode,
    correlationId: asked.correlationId,
    key: asked.key,
    submitter: asked.submitter,
    schedule: asked.schedule,
    worker: asked.worker,
    q: asked.q,
    /** How far back: `15m`, `24h`, `7d`. Moves with the clock, where `from` and `to` stand still. */
    since: z
      .string()
      .regex(/^\d{1,4}[mhd]$/, { error: 'Write how far back, such as 15m, 24h or 7d.' })
      .optional(),
    from: asked.createdAfter,
    to: asked.createdBefore,
    /** The cursor of the page. */
    after: z.string().optional(),
    /** The action on many jobs that is looked at beside the list. */
    bulk: z.string().optional(),
  }),
);
export type JobsSearch = z.infer<typeof jobsSearch>;

export const FILTER_WORDS = {
  phase: 'state',
  state: 'state',
  kind: 'kind',
  tenant: 'tenant',
  errorCode: 'error',
  correlationId: 'correlation',
  key: 'key',
  submitter: 'by',
  schedule: 'schedule',
  worker: 'replica',
  q: 'text',
  since: 'since',
  from: 'from',
  to: 'to',
} as const satisfies Partial<Record<keyof JobsSearch, string>>;
export type FilterName = keyof typeof FILTER_WORDS;

/** Whether two addresses show the same list, whatever page of it. */
export function sameList(a: JobsSearch, b: JobsSearch): boolean {
  const names = Object.keys(FILTER_WORDS) as FilterName[];
  return names.every((name) => a[name] === b[name]);
}

/** How a list could be called: `failed, warehouse.sync, 7d`. */
export function nameOf(search: JobsSearch): string {
  const values = (Object.keys(FILTER_WORDS) as FilterName[]).flatMap((name) => search[name] ?? []);
  return values
    .join(', ')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 60)
    .trim();
}

/**
 * The words of the filter that a person types: `state:failed kind:document error:timeout`; anything else is searched for. They
 * are added to what is filtered by already. A text is what is wrong with them.
 */
export function withTyped(search: JobsSearch, text: string): JobsSearch | string {
  const found: Record<string, string> = {};
  const rest: string[] = [];
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const [, name = '', value = ''] = /^([a-z]+):(.+)$/i.exec(word) ?? [];
    const field = fieldOf(name.toLowerCase());
    if (field === null) rest.push(word);
    else found[field] = value;
  }
  if (rest.length > 0) found['q'] = rest.join(' ');
  // Two ways to say where a job is: the new one counts.
  const before = found['phase'] === undefined ? search : { ...search, state: undefined };
  const { success, data, error } = jobsSearch.safeParse({ ...before, ...found });
  if (success) return data;
  return error.issues
    .map(({ path: [name], message }) => `${FILTER_WORDS[name as FilterName]}: ${message}`)
    .join(' ');
}

function fieldOf(word: string): FilterName | null {
  if (word === 'state') return 'phase';
  const entry = Object.entries(FILTER_WORDS).find(([, shown]) => shown === word);
  return (entry?.[0] as FilterName | undefined) ?? null;
}

const MOMENTS: ReadonlySet<string> = new Set(['since', 'from', 'to']);
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Which jobs, for the service. `since` becomes a moment, rounded down to a minute so that the answer can be cached. */
export function filterOf(search: JobsSearch, now: number): JobFilter {
  const { since, from, to } = search;
  const names = Object.keys(FILTER_WORDS).filter((name) => !MOMENTS.has(name)) as FilterName[];
  const same = names.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]]));
  const back =
    since === undefined
      ? null
      : now - Number.parseInt(since, 10) * UNIT_MS[since.at(-1) as keyof typeof UNIT_MS];
  const createdAfter =
    back === null ? from : new Date(Math.floor(back / 60_000) * 60_000).toISOString();
  return {
    ...Object.fromEntries(same),
    ...(createdAfter !== undefined && { createdAfter }),
    ...(to !== undefined && { createdBefore: to }),
  };
}

type ListQuery = NonNullable<NonNullable<Parameters<Client['listJobs']>[0]>['query']>;

export function queryOf(search: JobsSearch, now: number): ListQuery {
  const { after } = search;
  return { ...filterOf(search, now), ...(after !== undefined && { cursor: after }), limit: '50' };
}

/** Whether a job that changed belongs to the list that is shown. Texts that only the service can search count as fitting. */
export function fits(search: JobsSearch, job: JobSummary, now: number): boolean {
  const phases = search.phase?.split(',') as Phase[] | undefined;
  return (
    (phases === undefined || phases.includes(PHASE_NAMES[phaseOf(job, now)])) &&
    (search.state === undefined || search.state.split(',').includes(job.state)) &&
    (search.kind === undefined || search.kind.split(',').includes(job.kind)) &&
    (search.tenant === undefined || search.tenant === job.tenant) &&
    (search.errorCode === undefined || search.errorCode === job.error?.code)
  );
}

/** The words of the service for phases: those that are due are `due` there. */
const PHASE_NAMES = {
  queued: 'due',
  waiting: 'due',
  scheduled: 'scheduled',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
  retrying: 'retrying',
  paused: 'due',
} as const as unknown as Readonly<Record<Phase, Phase>>;
