import type { Session } from '@millrace/store-postgres';
import { inSchema } from './tables.ts';

/** A hash that two tables share exactly if they have the same rows. */
export interface Digest {
  readonly rows: number;
  /** The first 16 bytes of the SHA-256 of each row's text, added up in two halves: the order of the rows does not matter. */
  readonly hash: string;
}

/** In a transaction with `PLAIN_TEXTS`. */
export async function digestOf(session: Session, table: string): Promise<Digest> {
  const half = (from: number): string =>
    `coalesce(sum(('x' || substr(hex, ${from}, 16))::bit(64)::bigint::numeric), 0)::text`;
  const text = `
SELECT count(*)::float8 AS rows, ${half(1)} AS first, ${half(17)} AS second
  FROM (SELECT encode(sha256(convert_to(whole::text, 'UTF8')), 'hex') AS hex FROM ${inSchema(table)} whole) d`;
  const [row] = await session.query<{ rows: number; first: string; second: string }>(
    { name: '', text },
    [],
  );
  const { rows = 0, first = '0', second = '0' } = row ?? {};
  return { rows, hash: hexOf(first) + hexOf(second) };
}

/** How many rows there are by an index of the table; by the table itself where it has none. */
export async function rowsByIndex(session: Session, table: string): Promise<number> {
  const scans = (on: 'on' | 'off'): string =>
    `SET LOCAL enable_seqscan = ${on}; SET LOCAL enable_bitmapscan = ${on}`;
  await session.script(scans('off'));
  const text = `SELECT count(*)::float8 AS rows FROM ${inSchema(table)}`;
  const [row] = await session.query<{ rows: number }>({ name: '', text }, []);
  await session.script(scans('on'));
  return row?.rows ?? 0;
}

function hexOf(sum: string): string {
  return BigInt.asUintN(64, BigInt(sum)).toString(16).padStart(16, '0');
}
