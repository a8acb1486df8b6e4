/**
 * How our statements are to be planned. The narrow tables go from empty to a million rows and back within
 * seconds, so whatever the planner believes of them is soon wrong, while the right plan is always the same: nested
 * loops over indexes. Each of these was seen to go wrong by two orders of magnitude without its setting:
 * - a claim taken for a big query and compiled to machine code, 90 ms each time;
 * - a plan made while `lease` was empty, which later read all of it once per job (880 µs a job instead of 20);
 * - planning the claim anew each time, which takes as long as running it for one job.
 */
export const PLANNING = `
  SET jit = off;
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
  SET enable_hashjoin = off;
  SET enable_mergejoin = off`;
