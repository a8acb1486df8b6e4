import type {
  Checkpoint,
  ClaimParams,
  Claimed,
  ClaimedJob,
  FailureRecord,
  JobId,
  JsonText,
  Keep,
  Lease,
  NewJob,
  RenewAnswer,
  SettleAnswer,
  SettledOutcome,
  Settlement,
  Store,
  Want,
} from '@millrace/engine';
import { expect } from 'vitest';
import type { PartName, World } from './harness.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** Long beside what a slow machine takes for a check, since a store's clock may really run. */
export const LEASE_MS = 10 * MINUTE;
export const PAST_LEASE_MS = LEASE_MS + SECOND;

/** A W3C trace context. */
export const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

export function newJob(changes: Partial<NewJob> = {}): NewJob {
  return { kind: 'work', payload: '{}', maxAttempts: 3, tenant: '', priority: null, ...changes };
}

export async function add(store: Store, ...jobs: Partial<NewJob>[]): Promise<JobId[]> {
  const enqueued = await store.enqueue({ jobs: jobs.map((job) => keptBy(store, newJob(job))) });
  return enqueued.map(({ id }) => id);
}

/** Without what the store has no place for. */
export function keptBy(store: Store, job: NewJob): NewJob {
  const { webhook, parents, schedule, ...rest } = job;
  const hanging = {
    ...(webhook !== undefined && { webhook }),
    ...(parents !== undefined && { parents }),
    ...(schedule !== undefined && { schedule }),
  };
  return {
    ...rest,
    ...(store.followers && hanging),
    tenant: store.keeps.tenants ? job.tenant : '',
  };
}

/** A child where the store can make one, and none elsewhere. */
export function childOn(store: Store, kind = 'child'): NewJob[] {
  return store.followers === undefined ? [] : [newJob({ kind })];
}

export async function addOne(store: Store, changes: Partial<NewJob> = {}): Promise<JobId> {
  return only(await add(store, changes));
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function wants(...kinds: string[]): Want[] {
  return kinds.map((kind) => ({ kind, limit: 1_000 }));
}

/** A part that the check says it needs. */
export function partOf<P extends PartName>(store: Store, name: P): NonNullable<Store[P]> {
  const part: Store[P] = store[name];
  if (part === undefined) throw new Error(`The store has no ${name}: the check must need it.`);
  return part;
}

export function claimParams(changes: Partial<ClaimParams> = {}): ClaimParams {
  return {
    worker: 'worker-1',
    claim: Math.floor(Math.random() * 2 ** 53),
    wants: wants('work'),
    limit: 1_000,
    leaseMs: LEASE_MS,
    ...changes,
  };
}

export function claim(store: Store, changes: Partial<ClaimParams> = {}): Promise<Claimed> {
  return store.claim(claimParams(changes));
}

export async function claimAll(
  store: Store,
  changes: Partial<ClaimParams> = {},
): Promise<ClaimedJob[]> {
  return (await claim(store, changes)).jobs;
}

/** Claims and expects exactly one job. */
export async function claimOne(
  store: Store,
  changes: Partial<ClaimParams> = {},
): Promise<ClaimedJob> {
  return only(await claimAll(store, changes));
}

/** Adds a job of the kind and claims it: no other of the kind may wait. */
export async function start(
  store: Store,
  changes: Partial<NewJob> = {},
  claimChanges: Partial<ClaimParams> = {},
): Promise<ClaimedJob> {
  const id = await addOne(store, changes);
  const job = await claimOne(store, { wants: wants(changes.kind ?? 'work'), ...claimChanges });
  expect(job.id).toBe(id);
  return job;
}

/** Says that it was begun. */
export async function begin(store: Store, ...jobs: ClaimedJob[]): Promise<void> {
  const answers = await store.renew({ leases: jobs, leaseMs: LEASE_MS });
  expect(answers).toEqual(jobs.map(() => 'renewed'));
}

/** The suspect that comes next, and nothing else. */
export async function claimAlone(
  store: Store,
  changes: Partial<ClaimParams> = {},
): Promise<ClaimedJob> {
  return claimOne(store, { ...changes, alone: true });
}

/** A job that takes two workers with it: once among others, once alone, and then it ends. Gives its last lease. */
export async function loseForGood(
  { advance }: Pick<World, 'advance'>,
  store: Store,
  changes: Partial<NewJob> = {},
): Promise<{ lease: ClaimedJob; answer: Claimed }> {
  const wanted = wants(changes.kind ?? 'work');
  await start(store, { ...changes, maxAttempts: 1 });
  await advance(PAST_LEASE_MS);
  const lease = await claimAlone(store, { wants: wanted, worker: 'worker-2' });
  await begin(store, lease);
  await advance(PAST_LEASE_MS);
  return { lease, answer: await claim(store, { wants: wanted }) };
}

export function checkpoint(
  store: Store,
  lease: Lease,
  part: Partial<Checkpoint>,
): Promise<RenewAnswer[]> {
  return partOf(store, 'chunks').checkpoint({
    checkpoints: [{ lease, step: 1, children: [], ...part }],
    leaseMs: LEASE_MS,
  });
}

export const ERROR: FailureRecord = {
  code: 'upload_failed',
  message: 'The file server said 503.',
  retryable: true,
};

export const STACK = 'Error: The file server said 503.\n    at upload (file:///jobs/upload.ts:7:9)';

/** One outcome of each move. */
export const OUTCOMES = {
  succeed: succeeded('{"pages":3}'),
  fail: { move: 'fail', error: ERROR, stack: STACK },
  cancel: { move: 'cancel' },
  retry: { move: 'retry', error: ERROR, stack: STACK, delayMs: 0 },
  defer: { move: 'defer', payload: '{"poll":2}', delayMs: 0 },
  handBack: { move: 'handBack' },
} as const satisfies { readonly [M in SettledOutcome['move']]: SettledOutcome };

export function succeeded(result: JsonText = 'null'): Extract<SettledOutcome, { move: 'succeed' }> {
  return { move: 'succeed', result, purgePayload: false, effects: [] };
}

export function settlement(
  job: ClaimedJob,
  outcome: SettledOutcome = succeeded(),
  children: readonly NewJob[] = [],
): Settlement {
  return { job, outcome, children };
}

export async function settle(
  store: Store,
  job: ClaimedJob,
  outcome: SettledOutcome = succeeded(),
  children: readonly NewJob[] = [],
): Promise<SettleAnswer> {
  return only(await store.settle({ settlements: [settlement(job, outcome, children)] }));
}

/** Settles all of them and expects each to be accepted. */
export async function settleAll(
  store: Store,
  jobs: readonly ClaimedJob[],
  outcome: SettledOutcome = succeeded(),
): Promise<void> {
  const answers = await store.settle({ settlements: jobs.map((job) => settlement(job, outcome)) });
  expect(answers).toEqual(jobs.map(() => 'settled'));
}

/** Long enough that nothing of a check is ever pruned by it. */
export const FOR_YEARS: Keep = keepFor(10 * 365 * 24 * HOUR);

export function keepFor(ms: number, changes: Partial<Keep> = {}): Keep {
  return { SUCCEEDED: ms, FAILED: ms, CANCELED: ms, ...changes };
}

/** A whole sweep, step by step. Other kinds are kept for years unless the check says otherwise. */
export async function sweep(
  store: Store,
  keep: Record<string, Keep>,
  otherwise = FOR_YEARS,
): Promise<number> {
  let removed = 0;
  for (let steps = 0; steps < 50; steps += 1) {
    const { count, more } = await partOf(store, 'upkeep').prune({ keep, otherwise });
    removed += count;
    if (!more) return removed;
  }
  throw new Error('The sweep does not come to an end.');
}

export function idsOf(jobs: readonly { readonly id: JobId }[]): JobId[] {
  return jobs.map(({ id }) => id);
}

export function only<T>(items: readonly T[]): T {
  expect(items).toHaveLength(1);
  const [item] = items;
  if (item === undefined) throw new Error('Expected one.');
  return item;
}

export function pair<T>(items: readonly T[]): [T, T] {
  expect(items).toHaveLength(2);
  const [first, second] = items;
  if (first === undefined || second === undefined) throw new Error('Expected two.');
  return [first, second];
}

/** A Promise.all whose functions start in the same turn. */
export function together<T, R>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  return Promise.all(items.map(act));
}
