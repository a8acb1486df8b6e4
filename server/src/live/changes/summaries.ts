import type { JobId, JobSummary, Store } from '@millrace/engine';

const AT_ONCE = 1_000;

/** The summaries of any number of jobs, read in parts that the store takes. */
export async function summariesOf(store: Store, ids: Iterable<JobId>): Promise<JobSummary[]> {
  const wanted = [...new Set(ids)];
  const found: JobSummary[] = [];
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    found.push(...(await store.summaries({ ids: wanted.slice(from, from + AT_ONCE) })));
  }
  return found;
}
