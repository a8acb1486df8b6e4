import type { Client, JobFilter, JobSummary } from '@millrace/api';
import { MAX_PAGE } from '@millrace/api';
import { type Values, anyText, past, state, text } from '../line/option.ts';

/** Which jobs: the same options for a list and for a bulk action. */
export const FILTER_OPTIONS = {
  state: state('Only jobs in this state.'),
  kind: text('KIND', 'Only jobs of this kind.'),
  tenant: anyText('TENANT', 'Only jobs of this tenant.'),
  key: text('KEY', 'Only jobs with this idempotency key.'),
  error: text('CODE', 'Only jobs whose last failure has this code.'),
  correlation: text('ID', 'Only jobs with this correlation id.'),
  since: past('Only jobs created since then: 1h, or a time.'),
  until: past('Only jobs created before then: 7d, or a time.'),
};

export type FilterValues = Values<typeof FILTER_OPTIONS>;

export function filterOf(values: FilterValues, now: number): JobFilter {
  const filter: JobFilter = {
    state: values.state,
    kind: values.kind,
    tenant: values.tenant,
    key: values.key,
    errorCode: values.error,
    correlationId: values.correlation,
    createdAfter: values.since?.(now),
    createdBefore: values.until?.(now),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** For people: `kind hello, state FAILED`. */
export function filterInWords(filter: Readonly<Record<string, unknown>>): string {
  return Object.entries(filter)
    .map(([name, value]) => `${WORDS[name] ?? name} ${valueInWords(value)}`)
    .join(', ');
}

function valueInWords(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const WORDS: Readonly<Record<string, string>> = {
  errorCode: 'error',
  correlationId: 'correlation',
  createdAfter: 'made since',
  createdBefore: 'made before',
};

export interface Page {
  readonly jobs: readonly JobSummary[];
  /** There are more than were asked for. */
  readonly more: boolean;
  /** Places that did not answer: their jobs are not among these. */
  readonly missing: readonly string[];
}

/** The newest `limit` jobs of a filter, page by page. */
export async function* pagesOf(
  client: Client,
  filter: JobFilter,
  limit: number,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let left = limit; left > 0;) {
    const asked = Math.min(left, MAX_PAGE);
    const {
      jobs,
      next,
      missing = [],
    } = await client.listJobs({ query: { ...filter, limit: asked, cursor } });
    left -= jobs.length;
    yield { jobs, missing, more: next !== null && left <= 0 };
    if (next === null) return;
    cursor = next;
  }
}
