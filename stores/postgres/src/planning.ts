/**
 * How our statements are to be planned. The narrow tables go from empty to a million rows and back within
 * seconds, so whatever the planner believes of them is soon wrong, while the right plan is always the same. Each of
 * these was seen to go wrong by two orders of magnitude:
 * - a claim taken for a big query and compiled to machine code, 90 ms each time: `jit`;
 * - planning the claim again each time, which takes as long as running it for one job: `plan_cache_mode`;
 * - a settling planned while `lease` was empty, which later compared every lease with every outcome.
 *
 * Our statements are written for READ COMMITTED, and for arrays in which NULL is NULL, whatever the database's defaults are.
 *
 * Against the last one no join is left to the planner. Either the small side drives it, row by row
 * (`CROSS JOIN LATERAL (… OFFSET 0)`), or the big table is first cut down to the batch (`seq = ANY (…)`) and joined by
 * a hash, for which nested loops are switched off; lateral ones remain, having no alternative. Figures of each:
 * docs/decisions/0002-planning.md.
 */
export const PLANNING = `
  SET default_transaction_isolation = 'read committed';
  SET array_nulls = on;
  SET jit = off;
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
  SET enable_mergejoin = off;
  SET enable_nestloop = off`;
