import type { Statement } from '../database.ts';
import type { Context } from './context.ts';
import { encode, notify } from './notify.ts';

// $1 kind $2 by
const PAUSE: Statement = {
  name: 'millrace_pause',
  text: `INSERT INTO millrace.paused (kind, paused_by, since) VALUES ($1, $2, millrace.clock()) ON CONFLICT DO NOTHING RETURNING kind`,
};
const RESUME: Statement = {
  name: 'millrace_resume',
  text: `DELETE FROM millrace.paused WHERE kind = $1 RETURNING kind`,
};
const PAUSED: Statement = {
  name: 'millrace_paused',
  text: `SELECT kind, paused_by, date_part('epoch', since) * 1000 AS since FROM millrace.paused ORDER BY kind`,
};

export async function pause(
  { database }: Context,
  { kind, by }: { kind: string; by: string | null },
): Promise<boolean> {
  const rows = await database.query(PAUSE, [kind, by]);
  await notify(database, encode({ type: 'control' }));
  return rows.length > 0;
}

export async function resume({ database }: Context, { kind }: { kind: string }): Promise<boolean> {
  const rows = await database.query(RESUME, [kind]);
  await notify(database, encode({ type: 'control' }));
  return rows.length > 0;
}

export async function paused({
  database,
}: Context): Promise<{ kind: string; by: string | null; since: number }[]> {
  const rows = await database.query<{ kind: string; paused_by: string | null; since: number }>(
    PAUSED,
    [],
  );
  return rows.map((row) => ({ kind: row.kind, by: row.paused_by, since: Math.round(row.since) }));
}
