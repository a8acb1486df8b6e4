import type { Statement } from '../../database.ts';
import { LOOK_COLUMNS } from './tend.ts';
import { OPEN, SUSPECTS, WANT, taking } from './taking.ts';

/**
 * The fast path: work of one kind and one tenant waits, as nearly always. Takes nothing where there are several lanes
 * and says so; then the fair path claims.
 *
 * A lane is found by its two ends in the index, and read from its first row on: what was claimed before stands in front of it
 * in the index until the next vacuum, and is passed over once instead of three times (after 50,000 jobs a claim of one job took
 * 1.2 ms of processor time, and 0.5 before them). Rows that others hold are passed over, so that replicas never wait for
 * each other, and only what is taken is locked.
 */
// $1–$8 as in taking.ts $9 what is due was promoted $10 look what is to be tended
// $11 jobs from which on they share a lease
export const CLAIM_ONE_LANE: Statement = {
  name: 'millrace_claim_one_lane',
  text: `
WITH RECURSIVE ${WANT}, ${OPEN}, lane AS MATERIALIZED (
  SELECT w.kind, w.lim, first.tenant, first.rank, first.seq, first.tenant <> last.tenant AS several
    FROM want w
    CROSS JOIN LATERAL (
      SELECT tenant, rank, seq FROM millrace.ready WHERE kind = w.kind ORDER BY kind, tenant, rank, seq LIMIT 1) first
    CROSS JOIN LATERAL (
      SELECT tenant FROM millrace.ready WHERE kind = w.kind ORDER BY kind DESC, tenant DESC LIMIT 1) last
), several AS MATERIALIZED (
  SELECT count(*) > 1 OR coalesce(bool_or(several), false) AS yes FROM lane
), chosen AS MATERIALIZED (
  SELECT r.* FROM lane l CROSS JOIN LATERAL (
    SELECT ctid AS place, kind, tenant, rank, seq, attempt, false AS limited FROM millrace.ready
     WHERE kind = l.kind AND tenant = l.tenant AND (rank, seq) >= (l.rank, l.seq) AND rank <= $7::smallint
     ORDER BY kind, tenant, rank, seq LIMIT least(l.lim, $4::int) FOR UPDATE SKIP LOCKED) r
   WHERE NOT (SELECT yes FROM several) AND (SELECT yes FROM open)
), ${taking({
    table: 'ready',
    lanes: 'one',
    shareFrom: '$11::int',
    columns: `
       (SELECT yes FROM several) AS several, NOT (SELECT yes FROM open) AS held_back,
       EXISTS (SELECT FROM lane l CROSS JOIN LATERAL (
         SELECT FROM millrace.ready
          WHERE kind = l.kind AND tenant = l.tenant AND (rank, seq) >= (l.rank, l.seq) AND rank <= $7::smallint LIMIT 1) r) AS waiting, ${LOOK_COLUMNS('$10::boolean')}, ${SUSPECTS}`,
  })}`,
};
