import type { Checkpoint, Lease, RenewAnswer } from '@millrace/engine';
import { type Session, type Statement, numbers, texts } from '../database.ts';
import type { Context } from './context.ts';
import { insertJobs } from './enqueue.ts';

// All leases of a worker in one write. $1 seq[] $2 epoch[] $3 lease, ms
const RENEW: Statement = {
  name: 'millrace_renew',
  text: `
UPDATE millrace.lease l SET until = millrace.clock() + $3::float8 * interval '1 millisecond'
  FROM unnest($1::text::bigint[], $2::text::bigint[]) AS u(seq, epoch)
 WHERE l.seq = u.seq AND l.epoch = u.epoch
RETURNING l.seq, l.epoch, l.cancel`,
};

// Cursor, progress and the lease's renewal together. A cursor that moves starts the attempts anew.
// $1 seq[] $2 epoch[] $3 lease, ms $4 cursor[] $5 progress[]
const CHECKPOINT: Statement = {
  name: 'millrace_checkpoint',
  text: `
WITH input AS MATERIALIZED (
  SELECT u.seq, u.epoch, u.progress::jsonb AS progress, u.cursor::jsonb AS cursor,
         u.cursor IS NOT NULL AND u.cursor::jsonb IS DISTINCT FROM (SELECT j.cursor FROM millrace.jobs j WHERE j.seq = u.seq) AS advanced
    FROM unnest($1::text::bigint[], $2::text::bigint[], $4::text::text[], $5::text::text[]) AS u(seq, epoch, cursor, progress)
), held AS (
  UPDATE millrace.lease l
     SET until = millrace.clock() + $3::float8 * interval '1 millisecond',
         attempt = CASE WHEN i.advanced THEN 1 ELSE l.attempt END
    FROM input i WHERE l.seq = i.seq AND l.epoch = i.epoch
  RETURNING l.seq, l.epoch, l.cancel, l.attempt, i.cursor, i.progress
), record AS (
  UPDATE millrace.jobs j SET cursor = coalesce(h.cursor, j.cursor), progress = coalesce(h.progress, j.progress)
    FROM held h WHERE j.seq = h.seq
)
SELECT seq, epoch, cancel FROM held`,
};

type Held = { seq: number; epoch: number; cancel: boolean };

export async function renew({ database, ids }: Context, { leases, leaseMs }: { leases: readonly Lease[]; leaseMs: number }): Promise<RenewAnswer[]> {
  const asked = leases.map(({ id, epoch }) => ({ seq: ids.seq(id) ?? -1, epoch }));
  const held = await database.query<Held>(RENEW, [numbers(asked.map(({ seq }) => seq)), numbers(asked.map(({ epoch }) => epoch)), leaseMs]);
  return answers(asked, held);
}

export async function checkpoint({ database, ids }: Context, { checkpoints, leaseMs }: { checkpoints: readonly Checkpoint[]; leaseMs: number }): Promise<RenewAnswer[]> {
  const asked = checkpoints.map(({ lease: { id, epoch } }) => ({ seq: ids.seq(id) ?? -1, epoch }));
  const save = (session: Session): Promise<Held[]> =>
    session.query<Held>(CHECKPOINT, [
      numbers(asked.map(({ seq }) => seq)),
      numbers(asked.map(({ epoch }) => epoch)),
      leaseMs,
      texts(checkpoints.map(({ cursor }) => cursor)),
      texts(checkpoints.map(({ progress }) => (progress === undefined ? null : JSON.stringify(progress)))),
    ]);
  if (checkpoints.every(({ children }) => children.length === 0)) return answers(asked, await save(database));
  return database.transaction(async (session) => {
    const given = answers(asked, await save(session));
    for (const [index, { children }] of checkpoints.entries()) {
      if (given[index] !== 'stale') await insertJobs(session, children);
    }
    return given;
  });
}

function answers(asked: readonly { seq: number; epoch: number }[], rows: readonly Held[]): RenewAnswer[] {
  const held = new Map(rows.map((row) => [row.seq, row]));
  return asked.map(({ seq, epoch }) => {
    const row = held.get(seq);
    return row?.epoch !== epoch ? 'stale' : row.cancel ? 'cancel' : 'renewed';
  });
}
