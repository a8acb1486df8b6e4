import type { Client, JobFilter, JobState } from '@millrace/api';
import { pagesOf } from './filter.ts';
import { count } from '../render/number.ts';

export interface Tally {
  readonly state: JobState;
  readonly jobs: number;
  /** There are more than were counted. */
  readonly more: boolean;
}

/** How many jobs of a filter are in each of these states, without those that have none. */
export async function tally(
  client: Client,
  filter: JobFilter,
  states: readonly JobState[],
): Promise<Tally[]> {
  const { kind, tenant, state, ...others } = filter;
  const asked = state === undefined ? states : states.filter((each) => each === state);
  const all =
    Object.keys(others).length === 0
      ? await fromCounts(client, { kind, tenant }, asked)
      : await fromLists(client, filter, asked);
  return all.filter(({ jobs }) => jobs > 0);
}

/** `12 FAILED and 3 CANCELED jobs`. */
export function tallyInWords(tallies: readonly Tally[]): string {
  const parts = tallies.map(
    ({ state, jobs, more }) => `${more ? 'over ' : ''}${count(jobs)} ${state}`,
  );
  const total = tallies.reduce((sum, { jobs }) => sum + jobs, 0);
  return `${new Intl.ListFormat('en').format(parts)} ${total === 1 ? 'job' : 'jobs'}`;
}

async function fromCounts(
  client: Client,
  { kind, tenant }: JobFilter,
  states: readonly JobState[],
): Promise<Tally[]> {
  const { counts } = await client.counts();
  const mine = counts.filter(
    (each) =>
      (kind === undefined || each.kind === kind) &&
      (tenant === undefined || each.tenant === tenant),
  );
  return states.map((state) => {
    const found = mine.filter((each) => each.state === state);
    return { state, jobs: found.reduce((sum, each) => sum + each.count, 0), more: false };
  });
}

const COUNTED_AT_MOST = 1_000;

/** The counts know nothing of keys, errors and times: there the jobs themselves are counted. */
async function fromLists(
  client: Client,
  filter: JobFilter,
  states: readonly JobState[],
): Promise<Tally[]> {
  const tallies: Tally[] = [];
  for (const state of states) {
    let found: Tally = { state, jobs: 0, more: false };
    for await (const { jobs, more } of pagesOf(client, { ...filter, state }, COUNTED_AT_MOST)) {
      found = { state, jobs: found.jobs + jobs.length, more };
    }
    tallies.push(found);
  }
  return tallies;
}
