import type { Checkpoint, Lease, RenewAnswer } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { insertJobs } from './enqueue.ts';

// All leases of a worker in one write. $1 seq[] $2 epoch[] $3 claim[] $4 lease, ms
const RENEW: Statement = {
  name: 'millrace_renew',
  text: `
UPDATE millrace.lease l SET until = millrace.clock() + $4::float8 * interval '1 millisecond', renewed = true
  FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS u(seq, epoch, claim)
 WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch AND l.claim = u.claim
RETURNING l.seq, l.claim, l.cancel`,
};

// Cursor, progress and the lease's renewal together. A cursor that moves starts the attempts again and clears a suspect; a
// step that was taken already, by a repeated or a late request, only renews. Nothing of an erased job is kept.
// $1 seq[] $2 epoch[] $3 claim[] $4 lease, ms $5 step[] $6 cursor[] $7 progress[]
const CHECKPOINT: Statement = {
  name: 'millrace_checkpoint',
  text: `
WITH input AS MATERIALIZED (
  SELECT l.seq, l.claim, l.cancel, u.step > l.step AS fresh, u.step, u.progress::jsonb AS progress, u.cursor::jsonb AS cursor
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $5::text::integer[], $6::text::text[], $7::text::text[])
         AS u(seq, epoch, claim, step, cursor, progress)
    JOIN millrace.lease l ON l.seq = ANY ($1::text::bigint[]) AND l.seq = u.seq AND l.epoch = u.epoch AND l.claim = u.claim
     FOR UPDATE OF l
), record AS (
  UPDATE millrace.jobs j
     SET cursor = CASE WHEN j.erased IS NULL THEN coalesce(i.cursor, j.cursor) END,
         progress = CASE WHEN j.erased IS NULL THEN coalesce(i.progress, j.progress) END
    FROM input i, millrace.jobs before
   WHERE i.fresh AND j.seq = ANY ($1::text::bigint[]) AND j.seq = i.seq
     AND before.seq = ANY ($1::text::bigint[]) AND before.seq = i.seq
  RETURNING j.seq, j.erased, i.cursor IS NOT NULL AND i.cursor IS DISTINCT FROM before.cursor AS advanced
), held AS (
  UPDATE millrace.lease l
     SET until = millrace.clock() + $4::float8 * interval '1 millisecond', renewed = true, step = greatest(l.step, i.step),
         attempt = CASE WHEN (SELECT r.advanced FROM record r WHERE r.seq = i.seq) THEN 1 ELSE l.attempt END,
         suspect = l.suspect AND (SELECT r.advanced FROM record r WHERE r.seq = i.seq) IS NOT TRUE
    FROM input i WHERE l.seq = ANY ($1::text::bigint[]) AND l.seq = i.seq
)
SELECT seq, claim, cancel, fresh AND NOT EXISTS (SELECT FROM record r WHERE r.seq = input.seq AND r.erased) AS fresh FROM input`,
};

type Held = { seq: number; claim: number; cancel: boolean };
type Saved = Held & { fresh: boolean };

export async function renew(
  { database, ids }: Context,
  { leases, leaseMs }: { leases: readonly Lease[]; leaseMs: number },
): Promise<RenewAnswer[]> {
  const asked = leases.map(({ id, claim }) => ({ seq: ids.seq(id) ?? -1, claim }));
  const held = await database.query<Held>(RENEW, [
    numbers(asked.map(({ seq }) => seq)),
    numbers(leases.map(({ epoch }) => epoch)),
    numbers(asked.map(({ claim }) => claim)),
    leaseMs,
  ]);
  return answers(asked, held);
}

export async function checkpoint(
  { database, ids }: Context,
  { checkpoints, leaseMs }: { checkpoints: readonly Checkpoint[]; leaseMs: number },
): Promise<RenewAnswer[]> {
  const asked = checkpoints.map(({ lease: { id, claim } }) => ({ seq: ids.seq(id) ?? -1, claim }));
  const save = (session: Session): Promise<Saved[]> =>
    session.query<Saved>(CHECKPOINT, [
      numbers(asked.map(({ seq }) => seq)),
      numbers(checkpoints.map(({ lease }) => lease.epoch)),
      numbers(asked.map(({ claim }) => claim)),
      leaseMs,
      numbers(checkpoints.map(({ step }) => step)),
      texts(checkpoints.map(({ cursor }) => cursor)),
      texts(
        checkpoints.map(({ progress }) =>
          progress === undefined ? null : JSON.stringify(progress),
        ),
      ),
    ]);
  if (checkpoints.every(({ children }) => children.length === 0))
    return answers(asked, await save(database));
  return database.transaction(async (session) => {
    const saved = await save(session);
    const fresh = new Map(saved.map((row) => [row.seq, row.fresh ? row.claim : null]));
    await insertJobs(
      session,
      checkpoints.flatMap(({ children }, index) => {
        const { seq, claim } = asked[index] ?? { seq: -1, claim: -1 };
        return fresh.get(seq) === claim ? children : [];
      }),
    );
    return answers(asked, saved);
  });
}

function answers(
  asked: readonly { seq: number; claim: number }[],
  rows: readonly Held[],
): RenewAnswer[] {
  const held = new Map(rows.map((row) => [row.seq, row]));
  return asked.map(({ seq, claim }) => {
    const row = held.get(seq);
    return row?.claim !== claim ? 'stale' : row.cancel ? 'cancel' : 'renewed';
  });
}
