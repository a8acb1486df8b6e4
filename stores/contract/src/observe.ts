import {
  type ClosedGate,
  type Filter,
  type Job,
  type JobId,
  type JobState,
  type JobSummary,
  type JsonText,
  MillraceError,
  type Store,
  StoreUnavailable,
} from '@millrace/engine';
import { expect } from 'vitest';

export async function read(store: Store, id: JobId): Promise<Job> {
  const job = await store.get({ id });
  if (job === null) throw new Error(`There is no job ${id}.`);
  return job;
}

/** Values that a careless store could take for the id, or stumble over. */
export function strangeIds(store: Store, id: JobId): JobId[] {
  const number = id.slice(store.name.length + 1);
  return [
    '',
    'nonsense',
    number,
    `elsewhere-${number}`,
    `${store.name}-`,
    `${store.name}-0`,
    `${store.name}-0${number}`,
    `${store.name}--${number}`,
    `${store.name}-${number} `,
    `${store.name}-${number}.0`,
    `${store.name}-${number}x`,
    `${store.name}-999999999`,
    `${store.name}-99999999999999999999999999`,
    `${store.name}-'; drop table jobs`,
  ];
}

export async function stateOf(store: Store, id: JobId): Promise<JobState> {
  return (await read(store, id)).state;
}

export function statesOf(store: Store, ids: readonly JobId[]): Promise<JobState[]> {
  return Promise.all(ids.map((id) => stateOf(store, id)));
}

/** Every job that fits, newest first, page by page. */
export async function listAll(store: Store, filter: Filter = {}): Promise<Job[]> {
  const summaries = (await pagesOf(store, filter, 500)).flat();
  return Promise.all(summaries.map(({ id }) => read(store, id)));
}

/** Bounded, so that a store whose pages never end fails rather than hangs. */
export async function pagesOf(
  store: Store,
  filter: Filter,
  limit: number,
): Promise<JobSummary[][]> {
  const pages: JobSummary[][] = [];
  let at: { cursor?: string } = {};
  for (let count = 0; count < 50; count += 1) {
    const { jobs, next } = await store.list({ filter, limit, ...at });
    pages.push(jobs);
    if (next === null) return pages;
    at = { cursor: next };
  }
  throw new Error('The pages do not come to an end.');
}

/** How many jobs are in each state, over all kinds and tenants, by the store's own count. */
export async function countsByState(store: Store): Promise<Partial<Record<JobState, number>>> {
  const totals: Partial<Record<JobState, number>> = {};
  for (const { state, count } of await store.counts()) totals[state] = (totals[state] ?? 0) + count;
  return totals;
}

/** Everything a reader can see, to show that a refused write changed nothing. */
export async function everything(store: Store): Promise<{ jobs: Job[]; counts: string[] }> {
  const counts = await store.counts();
  return {
    jobs: await listAll(store),
    counts: counts.map((count) => JSON.stringify(count, Object.keys(count).toSorted())).toSorted(),
  };
}

/** A store may write JSON its own way: what counts is the value. */
export function value(text: JsonText | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/** The store says no because of the data, not because it is out of reach. */
export async function expectRefused(answer: Promise<unknown>, code?: string): Promise<void> {
  const thrown = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown, 'it should have been refused').toBeInstanceOf(Error);
  expect(thrown, 'it should not look like an outage').not.toBeInstanceOf(StoreUnavailable);
  if (code !== undefined) {
    expect(thrown).toBeInstanceOf(MillraceError);
    expect(thrown).toMatchObject({ code });
  }
}

let precision = 0;

export function setPrecision(ms: number): void {
  precision = ms;
}

/** Between the two times of the store's clock, which may have gone on meanwhile. */
export function expectBetween(time: number | null, from: number, to: number): void {
  expect(time).toBeGreaterThanOrEqual(from - precision);
  expect(time).toBeLessThanOrEqual(to + precision);
}

export function byKey(gates: readonly ClosedGate[]): ClosedGate[] {
  return gates.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
