import type { Statement } from '../database.ts';
import type { Context } from './context.ts';

const TAKE: Statement = {
  name: 'millrace_take_name',
  text: `INSERT INTO millrace.names (name, subject) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
};

const OF_SUBJECT: Statement = {
  name: 'millrace_name_of_subject',
  text: `SELECT name FROM millrace.names WHERE subject = $1`,
};

/** A statement of its own reads: what another replica has just taken is not in the snapshot of the one that tried. */
export async function takeName(
  { database }: Context,
  { name, subject }: { readonly name: string; readonly subject: string },
): Promise<string | null> {
  const nameOf = async (): Promise<string | null> =>
    (await database.query<{ name: string }>(OF_SUBJECT, [subject]))[0]?.name ?? null;
  const before = await nameOf();
  if (before !== null) return before;
  await database.query(TAKE, [name, subject]);
  return nameOf();
}
