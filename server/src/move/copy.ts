import { type Session, type Statement, texts } from '@millrace/store-postgres';
import { type Table, inSchema } from './tables.ts';

/**
 * Rows travel as texts, as Postgres writes and reads a row of any table: no driver turns a value into something else on the way. So
 * many bytes of them at a time, or one row that is larger: the memory that a move takes does not grow with what is moved.
 */
const PIECE_BYTES = 4_000_000;
const PIECE_ROWS = 2_000;
/** How many rows are looked at, to cut pieces of them: some 100 bytes each. */
const LOOK = 10_000;

/** Texts of values depend on these. */
export const PLAIN_TEXTS = `
  SET LOCAL timezone = 'UTC';
  SET LOCAL datestyle = 'ISO, MDY';
  SET LOCAL intervalstyle = 'postgres';
  SET LOCAL bytea_output = 'hex';
  SET LOCAL extra_float_digits = 1;
  SET LOCAL array_nulls = on`;

/** Within a transaction of each: `from` must not change meanwhile. Gives how many rows there were. */
export async function copyRows(from: Session, to: Session, table: Table): Promise<number> {
  const place = inSchema(table.name);
  const read = unnamed(
    `SELECT whole::text AS row FROM ${place} whole WHERE ctid = ANY ($1::text::tid[])`,
  );
  const write = unnamed(
    `INSERT INTO ${place} OVERRIDING SYSTEM VALUE SELECT * FROM unnest($1::text::${place}[])`,
  );
  let count = 0;
  for await (const piece of piecesOf(from, table)) {
    const rows = await from.query<{ row: string }>(read, [texts(piece)]);
    await to.query(write, [texts(rows.map(({ row }) => row))]);
    count += rows.length;
  }
  return count;
}

/** The places of rows in the table, in pieces that are small enough to be held. */
async function* piecesOf(from: Session, table: Table): AsyncGenerator<string[]> {
  const bytes = table.columns.map(({ name }) => bytesOf(`whole.${name}`)).join(' + ');
  await from.script(
    `DECLARE pieces NO SCROLL CURSOR FOR SELECT ctid::text AS at, (${bytes})::float8 AS bytes FROM ${inSchema(table.name)} whole`,
  );
  let piece: string[] = [];
  let size = 0;
  for (;;) {
    const found = await from.query<{ at: string; bytes: number }>(
      unnamed(`FETCH ${LOOK} FROM pieces`),
      [],
    );
    for (const row of found) {
      if (piece.length > 0 && (size + row.bytes > PIECE_BYTES || piece.length === PIECE_ROWS)) {
        yield piece;
        piece = [];
        size = 0;
      }
      piece.push(row.at);
      size += row.bytes;
    }
    if (found.length < LOOK) break;
  }
  await from.script('CLOSE pieces');
  if (piece.length > 0) yield piece;
}

/** Measures row sizes without reading out-of-line values that are not compressed; for compressed ones the stored size says little. */
function bytesOf(column: string): string {
  return `CASE WHEN ${column} IS NULL THEN 0
    WHEN pg_column_compression(${column}) IS NULL THEN pg_column_size(${column})
    ELSE octet_length(${column}::text) END`;
}

function unnamed(text: string): Statement {
  return { name: '', text };
}
