import type { Session, Statement } from '@millrace/store-postgres';
import { inSchema } from './tables.ts';

const SEQUENCES: Statement = {
  name: '',
  text: `
SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace('millrace') AND relkind = 'S' ORDER BY relname`,
};
// $1 sequence $2 last value $3 whether that was given already
const SET: Statement = {
  name: '',
  text: 'SELECT setval($1::text::regclass, $2::text::bigint, $3)',
};

/** Ids and epochs go on where they were. Gives how many there are. */
export async function copySequences(from: Session, to: Session): Promise<number> {
  const sequences = await from.query<{ name: string }>(SEQUENCES, []);
  for (const { name } of sequences) {
    const text = `SELECT last_value::text AS last, is_called FROM ${inSchema(name)}`;
    const [row] = await from.query<{ last: string; is_called: boolean }>({ name: '', text }, []);
    if (row !== undefined) await to.query(SET, [inSchema(name), row.last, row.is_called]);
  }
  return sequences.length;
}
