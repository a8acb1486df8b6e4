import type { Checkpoint, Lease, RenewAnswer } from '@millrace/engine';
import { type Param, type Session, type Statement, numbers, texts } from '../database.ts';
import type { Ids } from '../ids.ts';
import type { Context } from './context.ts';
import { insertJobs } from './enqueue.ts';
import { type Named, leaseColumns, onOwnLeases, ownLeasesNamed } from './own-leases.ts';

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
type Saving = Named & { readonly checkpoint: Checkpoint };

/** The first renewal of a job gives it a lease of its own: only what lasts is renewed. */
export async function renew(
  { database, ids }: Context,
  { leases, leaseMs }: { leases: readonly Lease[]; leaseMs: number },
): Promise<RenewAnswer[]> {
  const asked = leases.map((lease) => named(ids, lease));
  const held = await onOwnLeases(database, asked, (some) =>
    database.query<Held>(RENEW, [...leaseColumns(some), leaseMs]),
  );
  return answers(asked, held);
}

export async function checkpoint(
  { database, ids, tally }: Context,
  { checkpoints, leaseMs }: { checkpoints: readonly Checkpoint[]; leaseMs: number },
): Promise<RenewAnswer[]> {
  const asked = checkpoints.map((each) => ({ ...named(ids, each.lease), checkpoint: each }));
  const save = (session: Session, some: readonly Saving[]): Promise<Saved[]> =>
    session.query<Saved>(CHECKPOINT, [...leaseColumns(some), leaseMs, ...savedColumns(some)]);
  if (checkpoints.every(({ children }) => children.length === 0))
    return answers(asked, await onOwnLeases(database, asked, (some) => save(database, some)));
  return database.transaction(async (session) => {
    await ownLeasesNamed(session, asked);
    const saved = await save(session, asked);
    const fresh = new Map(saved.map((row) => [row.seq, row.fresh ? row.claim : null]));
    await insertJobs(
      { tally },
      session,
      asked.flatMap(({ seq, claim, checkpoint: { children } }) =>
        fresh.get(seq) === claim ? children : [],
      ),
    );
    return answers(asked, saved);
  });
}

function named(ids: Ids, { id, epoch, claim }: Lease): Named {
  return { seq: ids.seq(id) ?? -1, epoch, claim };
}

function savedColumns(saving: readonly Saving[]): Param[] {
  return [
    numbers(saving.map(({ checkpoint: { step } }) => step)),
    texts(saving.map(({ checkpoint: { cursor } }) => cursor)),
    texts(
      saving.map(({ checkpoint: { progress } }) =>
        progress === undefined ? null : JSON.stringify(progress),
      ),
    ),
  ];
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
