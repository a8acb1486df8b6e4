import type { Statement } from '../../database.ts';
import { OPEN, WANT, runningOf, taking } from './taking.ts';

/**
 * The fair path, for several lanes (a lane is a kind and a tenant with work). Tenants take turns: each claim visits some
 * lanes from where the last one of this handle stopped, and goes on from there the next time, so its cost does not grow
 * with the number of tenants.
 *
 *     hop ──► room? ──► share ──► peek ──► seats ──► as many of each lane as got a seat
 *
 * - hop: the next lanes of each kind, found by hopping over the index, once around at the most.
 * - room: a tenant's quota of running jobs less what runs. A lane without room takes no share.
 * - peek: the first rows of each lane, up to an equal share per tenant, not locked.
 * - seats: the first job of each tenant in the order of their turns, then the second of each, and so on; one tenant's own
 *   jobs, over all its kinds, by priority and age.
 * - Then so many rows of each lane are locked as have got a seat, passing over those that others hold: only what is taken
 *   is locked, and a replica that comes second gets the rows behind.
 */
// $1–$8 as in taking.ts $9 what is due was promoted $10 tenant after which to begin[] $11 lanes to visit per kind
export const CLAIM_FAIRLY: Statement = {
  name: 'millrace_claim_fairly',
  text: `
WITH RECURSIVE ${WANT}, ${OPEN}, start AS MATERIALIZED (
  SELECT w.*, s.after FROM want w JOIN unnest($10::text::text[]) WITH ORDINALITY AS s(after, ord) USING (ord)
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
), lane AS MATERIALIZED (
  SELECT h.kind, h.tenant, h.lim, h.nth, h.tenant_lim IS NOT NULL AS limited,
         CASE WHEN h.tenant_lim IS NOT NULL THEN h.tenant_lim - ${runningOf('h')} END AS room
    FROM hop h WHERE h.nth > 0
), turn AS MATERIALIZED (
  SELECT tenant, row_number() OVER (ORDER BY min(nth), tenant) AS turn FROM lane WHERE room IS NULL OR room > 0 GROUP BY tenant
), share AS MATERIALIZED (
  SELECT ceil($4::float8 / nullif(count(*), 0))::int AS size FROM turn
), peek AS MATERIALIZED (
  SELECT l.kind, l.tenant, l.lim, r.rank, r.seq
    FROM lane l CROSS JOIN LATERAL (
      SELECT rank, seq FROM millrace.ready
       WHERE kind = l.kind AND tenant = l.tenant AND rank <= $7::smallint
       ORDER BY kind, tenant, rank, seq LIMIT greatest(0, least(l.lim, (SELECT size FROM share), l.room))) r
   WHERE (SELECT yes FROM open)
), seated AS (
  SELECT p.*, t.turn, row_number() OVER (PARTITION BY p.tenant ORDER BY p.rank, p.seq) AS seat
    FROM peek p JOIN turn t ON t.tenant = p.tenant
), seats AS MATERIALIZED (
  SELECT kind, tenant, count(*) AS n, max(place) AS last FROM (
    SELECT kind, tenant, row_number() OVER (ORDER BY seat, turn, rank, seq) AS place FROM (
      SELECT *, row_number() OVER (PARTITION BY kind ORDER BY seat, turn, rank, seq) AS of_kind FROM seated) s
     WHERE of_kind <= lim ORDER BY seat, turn, rank, seq LIMIT $4::int) taken
   GROUP BY kind, tenant
), chosen AS MATERIALIZED (
  SELECT r.*, l.limited FROM lane l JOIN seats s ON s.kind = l.kind AND s.tenant = l.tenant CROSS JOIN LATERAL (
    SELECT ctid AS place, kind, tenant, rank, seq, attempt FROM millrace.ready
     WHERE kind = l.kind AND tenant = l.tenant AND rank <= $7::smallint
     ORDER BY kind, tenant, rank, seq LIMIT s.n FOR UPDATE SKIP LOCKED) r
), ${taking(
    'ready',
    `
       NOT (SELECT yes FROM open) AS held_back, (SELECT count(*) FROM lane)::int AS lanes,
       (SELECT coalesce(sum(n), 0) FROM seats)::int AS seats,
       (SELECT coalesce(bool_or(n >= (SELECT size FROM share)), false) FROM (SELECT count(*) AS n FROM peek GROUP BY kind, tenant) p)
         OR (SELECT coalesce(max(nth), 0) >= $11::int FROM hop) AS waiting,
       (SELECT json_object_agg(kind, tenant) FROM (
          SELECT DISTINCT ON (l.kind) l.kind, l.tenant FROM lane l LEFT JOIN seats s ON s.kind = l.kind AND s.tenant = l.tenant
           ORDER BY l.kind, s.last DESC NULLS LAST, l.nth DESC) t)::text AS stopped_at,
       EXISTS (SELECT FROM want w CROSS JOIN LATERAL (
         SELECT FROM millrace.suspect WHERE kind = w.kind AND rank <= $7::smallint LIMIT 1) s) AS suspects`,
  )}`,
};
