import { type Session, type Statement, texts } from '../database.ts';

// How many wait or run; how many are of a state; and how many records some tenants have. $1 state $2 tenants[]
export const SIZES: Statement = {
  name: 'millrace_sizes',
  text: `
SELECT coalesce(sum(n) FILTER (WHERE state = 'OPEN'), 0)::float8 AS open,
       coalesce(sum(n) FILTER (WHERE state = 'SCHEDULED'), 0)::float8 AS scheduled,
       coalesce(sum(n) FILTER (WHERE state = $1), 0)::float8 AS of_state,
       coalesce(sum(n) FILTER (WHERE tenant = ANY ($2::text::text[]) AND state <> 'SCHEDULED'), 0)::float8 AS of_tenants
  FROM (SELECT tenant, state, n FROM millrace.counts UNION ALL SELECT tenant, state, n FROM millrace.count_delta) c`,
};
export type Sizes = { open: number; scheduled: number; of_state: number; of_tenants: number };

// $1 kind[]
const HAS_ANY: Statement = {
  name: 'millrace_has_any_of_kinds',
  text: `
SELECT sum(n) > 0 AS any FROM (
  SELECT n FROM millrace.counts WHERE kind = ANY ($1::text::text[])
  UNION ALL SELECT n FROM millrace.count_delta WHERE kind = ANY ($1::text::text[])) c`,
};

/**
 * Whether there is any job of these kinds. No index of the history has the kind: to find a kind that has no jobs took a second
 * over a million records, and to find the few jobs of a rare one still takes it.
 */
export async function hasAny(session: Session, kinds: readonly string[]): Promise<boolean> {
  const [row] = await session.query<{ any: boolean | null }>(HAS_ANY, [texts(kinds)]);
  return row?.any === true;
}
