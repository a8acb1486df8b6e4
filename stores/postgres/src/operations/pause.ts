import type { ControlPart, Held, HeldBy, Steered } from '@millrace/engine';
import type { Statement } from '../database.ts';
import type { Context } from './context.ts';
import { encode, notify } from './notify.ts';

// $1 kind $2 by $3 reason
const PAUSE: Statement = {
  name: 'millrace_pause',
  text: `INSERT INTO millrace.paused (kind, paused_by, reason, since) VALUES ($1, $2, $3, millrace.clock()) ON CONFLICT DO NOTHING RETURNING kind`,
};
const RESUME: Statement = {
  name: 'millrace_resume',
  text: `DELETE FROM millrace.paused WHERE kind = $1 RETURNING kind`,
};
const PAUSED: Statement = {
  name: 'millrace_paused',
  text: `SELECT kind, paused_by, reason, date_part('epoch', since) * 1000 AS since FROM millrace.paused ORDER BY kind`,
};

export async function pause(
  { database }: Context,
  { kind, by, reason = null }: { kind: string } & HeldBy,
): Promise<boolean> {
  const rows = await database.query(PAUSE, [kind, by, reason]);
  await notify(database, encode({ type: 'control' }));
  return rows.length > 0;
}

export async function resume({ database }: Context, { kind }: { kind: string }): Promise<boolean> {
  const rows = await database.query(RESUME, [kind]);
  await notify(database, encode({ type: 'control' }));
  return rows.length > 0;
}

export async function paused({ database }: Context): Promise<(Held & { kind: string })[]> {
  const rows = await database.query<{
    kind: string;
    paused_by: string | null;
    reason: string | null;
    since: number;
  }>(PAUSED, []);
  return rows.map(({ kind, paused_by: by, reason, since }) => ({
    kind,
    by,
    reason,
    since: Math.round(since),
  }));
}

// $1 worker $2 aim $3 by $4 reason
const STEER: Statement = {
  name: 'millrace_steer',
  text: `
INSERT INTO millrace.steered AS s (worker, aim, steered_by, reason, since) VALUES ($1, $2, $3, $4, millrace.clock())
ON CONFLICT (worker) DO UPDATE
   SET aim = excluded.aim, steered_by = excluded.steered_by, reason = excluded.reason, since = excluded.since
 WHERE s.aim <> excluded.aim
RETURNING worker`,
};
const LET_RUN: Statement = {
  name: 'millrace_let_run',
  text: `DELETE FROM millrace.steered WHERE worker = $1 RETURNING worker`,
};
const STEERED: Statement = {
  name: 'millrace_steered',
  text: `SELECT worker, aim, steered_by, reason, date_part('epoch', since) * 1000 AS since FROM millrace.steered ORDER BY worker`,
};

export async function steer(
  { database }: Context,
  { worker, to, by, reason = null }: Parameters<ControlPart['steer']>[0],
): Promise<boolean> {
  const rows =
    to === 'running'
      ? await database.query(LET_RUN, [worker])
      : await database.query(STEER, [worker, to, by, reason]);
  if (rows.length > 0) await notify(database, encode({ type: 'control' }));
  return rows.length > 0;
}

export async function steered({ database }: Context): Promise<Steered[]> {
  const rows = await database.query<{
    worker: string;
    aim: Steered['to'];
    steered_by: string | null;
    reason: string | null;
    since: number;
  }>(STEERED, []);
  return rows.map(({ worker, aim, steered_by: by, reason, since }) => ({
    worker,
    to: aim,
    by,
    reason,
    since: Math.round(since),
  }));
}
