/**
 * `scheduled` is ordered by rank and time. The ranks in use, found by hopping over the index: with no priorities that
 * is one look-up. Goes behind WITH RECURSIVE.
 */
export const RANKS_IN_USE = `
ranks AS (
  (SELECT rank FROM millrace.scheduled ORDER BY rank LIMIT 1)
  UNION ALL
  SELECT n.rank FROM ranks r CROSS JOIN LATERAL (
    SELECT rank FROM millrace.scheduled WHERE rank > r.rank ORDER BY rank LIMIT 1) n
)`;
