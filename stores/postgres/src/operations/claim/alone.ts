import type { Statement } from '../../database.ts';
import { WANT, taking } from './taking.ts';

/** One suspect, the first by priority and age. There are few, and nobody minds their order between tenants. */
// $1–$8 as in taking.ts
export const CLAIM_ALONE: Statement = {
  name: 'millrace_claim_alone',
  text: `
WITH ${WANT}, first AS MATERIALIZED (
  SELECT s.* FROM want w CROSS JOIN LATERAL (
    SELECT s.ctid AS place, s.kind, s.tenant, s.rank, s.seq, s.attempt, w.tenant_lim IS NOT NULL AS limited
      FROM millrace.suspect s
     WHERE s.kind = w.kind AND s.rank <= $7::smallint AND (w.tenant_lim IS NULL OR w.tenant_lim > (
             SELECT coalesce(sum(n), 0) FROM millrace.running_count r WHERE r.kind = s.kind AND r.tenant = s.tenant))
     ORDER BY s.kind, s.rank, s.seq LIMIT 1 FOR UPDATE OF s SKIP LOCKED) s
), chosen AS MATERIALIZED (
  SELECT * FROM first ORDER BY rank, seq LIMIT least(1, $4::int)
), ${taking({
    table: 'suspect',
    lanes: 'one',
    shareFrom: null,
    columns: `
       EXISTS (SELECT FROM want w CROSS JOIN LATERAL (
         SELECT FROM millrace.suspect s WHERE s.kind = w.kind AND s.rank <= $7::smallint
            AND s.seq NOT IN (SELECT seq FROM chosen) LIMIT 1) s) AS suspects`,
  })}`,
};
