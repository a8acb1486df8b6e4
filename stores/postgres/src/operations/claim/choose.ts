import type { Statement } from '../../database.ts';
import { LOOK_COLUMNS } from './tend.ts';
import { OPEN, runningOf, SUSPECTS, taking, WANT } from './taking.ts';

/**
 * The fair path, for several subqueues (a subqueue is a kind and a tenant with work). Tenants take turns: each claim visits some
 * subqueues from where the last one of this handle stopped, and goes on from there the next time, so its cost does not grow
 * with the number of tenants.
 *
 *     hop ──► room? ──► turn ──► share ──► (several kinds of one tenant: seats) ──► the first rows of each subqueue
 *
 * - hop: the next subqueues of each kind, found by hopping over the index, once around at the most.
 * - room: a tenant's quota of running jobs less what runs. A subqueue without room takes no share.
 * - share: the limit divided by the tenants, and what is left over to the first of them; likewise a kind's own limit.
 * - seats: where a tenant has work of several kinds, its share goes by priority and age over all of them.
 * - Then so many rows of each subqueue are locked, passing over those that others hold: only what is taken is locked, and a
 *   replica that comes second gets the rows behind.
 *
 * The rest of a tenant's share stays for the next claim. Shares by sorting all candidates, which used every slot,
 * cost twice as much per job (docs/decisions/0010-claims.md).
 */
// $1–$8 as in taking.ts $9 what is due was promoted $10 tenant after which to begin[] $11 subqueues to visit per kind
// $12 look what is to be tended
export const CLAIM_FAIRLY: Statement = {
  name: 'millrace_claim_fairly',
  text: `
WITH RECURSIVE ${WANT}, ${OPEN}, start AS MATERIALIZED (
  SELECT w.*, s.after COLLATE "C" AS after FROM want w JOIN unnest($10::text::text[]) WITH ORDINALITY AS s(after, ord) USING (ord)
), hop AS (
  SELECT kind, lim, tenant_lim, after, after AS tenant, false AS wrapped, 0 AS nth FROM start
  UNION ALL
  SELECT h.kind, h.lim, h.tenant_lim, h.after, coalesce(ahead.tenant, again.tenant), h.wrapped OR ahead.tenant IS NULL, h.nth + 1
    FROM hop h
    LEFT JOIN LATERAL (
      SELECT r.tenant FROM millrace.ready r
       WHERE r.kind = h.kind AND r.tenant > h.tenant AND (NOT h.wrapped OR r.tenant <= h.after)
       ORDER BY r.tenant LIMIT 1) ahead ON true
    LEFT JOIN LATERAL (
      SELECT r.tenant FROM millrace.ready r
       WHERE ahead.tenant IS NULL AND NOT h.wrapped AND r.kind = h.kind AND r.tenant <= h.after
       ORDER BY r.tenant LIMIT 1) again ON true
   WHERE h.nth < $11::int AND (ahead.tenant IS NOT NULL OR again.tenant IS NOT NULL)
), subqueue AS MATERIALIZED (
  SELECT h.kind, h.tenant, h.lim, h.nth, h.tenant_lim IS NOT NULL AS limited,
         CASE WHEN h.tenant_lim IS NOT NULL THEN h.tenant_lim - ${runningOf('h')} END AS room
    FROM hop h WHERE h.nth > 0
), turn AS MATERIALIZED (
  SELECT tenant, count(*) AS subqueues, row_number() OVER (ORDER BY min(nth), tenant) AS turn
    FROM subqueue WHERE room IS NULL OR room > 0 GROUP BY tenant
), tenants AS MATERIALIZED (SELECT nullif(count(*), 0) AS n FROM turn
), share AS MATERIALIZED (
  SELECT l.kind, l.tenant, l.limited, l.nth, t.turn, t.subqueues, $4::int / n + (t.turn <= $4::int % n)::int AS of_tenant,
         least(l.room, l.lim / count(*) OVER kinds + (row_number() OVER turns <= l.lim % count(*) OVER kinds)::int) AS of_subqueue
    FROM subqueue l JOIN turn t ON t.tenant = l.tenant, tenants
   WHERE l.room IS NULL OR l.room > 0
  WINDOW kinds AS (PARTITION BY l.kind), turns AS (PARTITION BY l.kind ORDER BY t.turn)
), seat AS MATERIALIZED (
  SELECT kind, tenant, count(*) AS n FROM (
    SELECT s.kind, s.tenant, s.of_tenant, row_number() OVER (PARTITION BY s.turn ORDER BY r.rank, r.seq) AS nth
      FROM share s CROSS JOIN LATERAL (
        SELECT rank, seq FROM millrace.ready WHERE kind = s.kind AND tenant = s.tenant AND rank <= $7::smallint
         ORDER BY kind, tenant, rank, seq LIMIT least(s.of_tenant, s.of_subqueue)) r
     WHERE s.subqueues > 1) p
   WHERE nth <= of_tenant GROUP BY kind, tenant
), chosen AS MATERIALIZED (
  SELECT r.*, s.limited FROM share s LEFT JOIN seat p ON p.kind = s.kind AND p.tenant = s.tenant CROSS JOIN LATERAL (
    SELECT ctid AS place, kind, tenant, rank, seq, attempt FROM millrace.ready
     WHERE kind = s.kind AND tenant = s.tenant AND rank <= $7::smallint
     ORDER BY kind, tenant, rank, seq
     LIMIT CASE WHEN s.subqueues = 1 THEN least(s.of_tenant, s.of_subqueue) ELSE coalesce(p.n, 0) END FOR UPDATE SKIP LOCKED) r
   WHERE (SELECT yes FROM open)
), ${taking({
    table: 'ready',
    subqueues: 'several',
    shareFrom: null,
    columns: `
       NOT (SELECT yes FROM open) AS held_back, (SELECT count(*) FROM subqueue)::int AS subqueues,
       (SELECT coalesce(n, 0) FROM tenants)::int AS sharing,
       (SELECT coalesce(max(nth), 0) < $11::int FROM hop) AS is_around,
       EXISTS (SELECT FROM share s CROSS JOIN LATERAL (
         SELECT FROM millrace.ready WHERE kind = s.kind AND tenant = s.tenant AND rank <= $7::smallint LIMIT 1) r) AS waiting,
       (SELECT json_object_agg(kind, tenant) FROM (
          SELECT DISTINCT ON (l.kind) l.kind, l.tenant
            FROM subqueue l LEFT JOIN share s ON s.kind = l.kind AND s.tenant = l.tenant CROSS JOIN tenants
           ORDER BY l.kind, CASE WHEN (SELECT max(nth) < $11::int FROM hop) AND n > 1 THEN s.turn <= $4::int % n
                                 ELSE s.of_tenant > 0 END DESC NULLS LAST, l.nth DESC) t)::text AS stopped_at, ${LOOK_COLUMNS('$12::boolean')}, ${SUSPECTS}`,
  })}`,
};

/**
 * The fast path: work of one kind and one tenant waits, as nearly always. Takes nothing where there are several subqueues
 * and says so; then the fair path claims.
 *
 * A subqueue is found by its two ends in the index, and read from its first row on: what was claimed before stands in front of it
 * in the index until the next vacuum, and is passed over once instead of three times (after 50,000 jobs a claim of one job took
 * 1.2 ms of processor time, and 0.5 before them). Rows that others hold are passed over, so that replicas never wait for
 * each other, and only what is taken is locked.
 */
// $1–$8 as in taking.ts $9 what is due was promoted $10 look what is to be tended
// $11 jobs from which on they share a lease
export const CLAIM_ONE_SUBQUEUE: Statement = {
  name: 'millrace_claim_one_subqueue',
  text: `
WITH RECURSIVE ${WANT}, ${OPEN}, subqueue AS MATERIALIZED (
  SELECT w.kind, w.lim, first.tenant, first.rank, first.seq, first.tenant <> last.tenant AS several
    FROM want w
    CROSS JOIN LATERAL (
      SELECT tenant, rank, seq FROM millrace.ready WHERE kind = w.kind ORDER BY kind, tenant, rank, seq LIMIT 1) first
    CROSS JOIN LATERAL (
      SELECT tenant FROM millrace.ready WHERE kind = w.kind ORDER BY kind DESC, tenant DESC LIMIT 1) last
), several AS MATERIALIZED (
  SELECT count(*) > 1 OR coalesce(bool_or(several), false) AS yes FROM subqueue
), chosen AS MATERIALIZED (
  SELECT r.* FROM subqueue l CROSS JOIN LATERAL (
    SELECT ctid AS place, kind, tenant, rank, seq, attempt, false AS limited FROM millrace.ready
     WHERE kind = l.kind AND tenant = l.tenant AND (rank, seq) >= (l.rank, l.seq) AND rank <= $7::smallint
     ORDER BY kind, tenant, rank, seq LIMIT least(l.lim, $4::int) FOR UPDATE SKIP LOCKED) r
   WHERE NOT (SELECT yes FROM several) AND (SELECT yes FROM open)
), ${taking({
    table: 'ready',
    subqueues: 'one',
    shareFrom: '$11::int',
    columns: `
       (SELECT yes FROM several) AS several, NOT (SELECT yes FROM open) AS held_back,
       EXISTS (SELECT FROM subqueue l CROSS JOIN LATERAL (
         SELECT FROM millrace.ready
          WHERE kind = l.kind AND tenant = l.tenant AND (rank, seq) >= (l.rank, l.seq) AND rank <= $7::smallint LIMIT 1) r) AS waiting, ${LOOK_COLUMNS('$10::boolean')}, ${SUSPECTS}`,
  })}`,
};

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
    subqueues: 'one',
    shareFrom: null,
    columns: `
       EXISTS (SELECT FROM want w CROSS JOIN LATERAL (
         SELECT FROM millrace.suspect s WHERE s.kind = w.kind AND s.rank <= $7::smallint
            AND s.seq NOT IN (SELECT seq FROM chosen) LIMIT 1) s) AS suspects`,
  })}`,
};
