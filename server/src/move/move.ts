import {
  type Session,
  type Statement,
  endLeases,
  hasEmbedded,
  isDamage,
  lockMigrations,
  migrateIn,
} from '@millrace/store-postgres';
import type { DatabasePlace } from '../config/place.ts';
import { ProgramRefused } from '../program.ts';
import { requireCurrent } from '../schema/current.ts';
import { openDatabase } from '../schema/open.ts';
import { SCHEMA_PARTS } from '../schema/parts.ts';
import { databaseFolder, storePlace } from '../store.ts';
import { PLAIN_TEXTS, copyRows } from './copy.ts';
import { type Digest, digestOf, rowsByIndex } from './digest.ts';
import { type Table, inSchema, tablesOf } from './tables.ts';

/** The messages of `millrace move`. */
export type MoveEvent =
  | { readonly type: 'begin'; readonly from: string; readonly to: string; readonly tables: number }
  /** It is in both, and the same. */
  | ({ readonly type: 'table'; readonly table: string } & Digest)
  | {
      readonly type: 'end';
      readonly tables: number;
      readonly rows: number;
      readonly sequences: number;
    };

/**
 * Everything of the schema, from a database that nobody works on into one that has none of it, in one transaction: at the end all of
 * it is there and was compared, or nothing is, and the command can be given again.
 */
export async function move(
  from: DatabasePlace,
  to: DatabasePlace,
  tell: (event: MoveEvent) => void,
): Promise<void> {
  if (from.databaseUrl === null && !hasEmbedded(databaseFolder(from)))
    throw refused(
      'source_missing',
      `There is no embedded database in ${databaseFolder(from)}. Set MILLRACE_DATA to the folder of the installation to move.`,
    );
  const source = await openDatabase(from);
  const target = await openDatabase(to);
  try {
    await requireCurrent(source, 'source', 'The source database');
    const moved = await source.transaction(async (reading) => {
      // Before anything is read: all of it is of one moment, also where somebody should still work on it.
      await reading.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      await reading.script(PLAIN_TEXTS);
      await requireAlone(reading);
      const places = { from: storePlace(from), to: storePlace(to) };
      return target.transaction((writing) =>
        moveAll(reading, writing, (tables) => tell({ type: 'begin', ...places, tables }), tell),
      );
    });
    tell({ type: 'end', ...moved });
  } finally {
    await target.close();
    await source.close();
  }
}

type Moved = Omit<Extract<MoveEvent, { type: 'end' }>, 'type'>;

async function moveAll(
  reading: Session,
  writing: Session,
  begin: (tables: number) => void,
  tell: (event: MoveEvent) => void,
): Promise<Moved> {
  await writing.script(PLAIN_TEXTS);
  // Before the look: a second move, or a server that starts on the target, would fill it between the look and the TRUNCATE below.
  await lockMigrations(writing);
  await requireEmpty(writing);
  await migrateIn(writing, SCHEMA_PARTS);
  const tables = await tablesOf(reading);
  requireSame(tables, await tablesOf(writing));
  // Migrations have written rows of their own, such as the name of the installation.
  await writing.script(`TRUNCATE ${tables.map(({ name }) => inSchema(name)).join(', ')}`);
  begin(tables.length);
  let rows = 0;
  for (const table of tables) {
    const digest = await moveTable(reading, writing, table);
    rows += digest.rows;
    tell({ type: 'table', table: table.name, ...digest });
  }
  const sequences = await copySequences(reading, writing);
  // Nobody works on the source: what was leased there is free, and nobody waits for the leases to end.
  await endLeases(writing);
  return { tables: tables.length, rows, sequences };
}

async function moveTable(reading: Session, writing: Session, table: Table): Promise<Digest> {
  const { copied, before, known } = await readAll(reading, writing, table).catch(
    (cause: unknown) => {
      throw isDamage(cause) ? damaged(table, cause) : cause;
    },
  );
  // A file of the database that was cut off, as in a copy of a running server's folder, is a shorter table to whoever reads it
  // from its beginning. An index still knows the rows that it had.
  if (known !== before.rows) throw damaged(table);
  const after = await digestOf(writing, table.name);
  if (copied === before.rows && before.rows === after.rows && before.hash === after.hash)
    return after;
  throw new ProgramRefused(
    'not_the_same',
    'failed',
    `The table ${table.name} is not the same after the move: ${before.rows} rows (${before.hash}) before, ${after.rows} rows (${after.hash}) after. The target was rolled back. Please report this.`,
  );
}

async function readAll(
  reading: Session,
  writing: Session,
  table: Table,
): Promise<{ copied: number; before: Digest; known: number }> {
  const copied = await copyRows(reading, writing, table);
  const before = await digestOf(reading, table.name);
  return { copied, before, known: await rowsByIndex(reading, table.name) };
}

function damaged({ name }: Table, cause?: unknown): ProgramRefused {
  return new ProgramRefused(
    'source_damaged',
    'failed',
    `The table ${name} of the source database is damaged: some of its rows cannot be read. The target was rolled back. Restore a backup that was made while the server was stopped.`,
    { cause },
  );
}

// A role without access to other sessions counts only its own.
const OTHERS: Statement = {
  name: '',
  text: `
SELECT count(*)::int AS count FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = 'millrace' AND pid <> pg_backend_pid()`,
};

/** An embedded database has one process, which is this one. */
async function requireAlone(reading: Session): Promise<void> {
  const [others] = await reading.query<{ count: number }>(OTHERS, []);
  if ((others?.count ?? 0) > 0)
    throw refused(
      'source_in_use',
      'Replicas are still connected to the source database. Stop all of them first.',
    );
}

const ROOM: Statement = {
  name: '',
  text: `
SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding, (
  SELECT count(*)::int FROM pg_class WHERE relnamespace = to_regnamespace('millrace')) AS things`,
};
const OLDEST = 140_000;

async function requireEmpty(writing: Session): Promise<void> {
  const [room] = await writing.query<{ version: number; encoding: string; things: number }>(
    ROOM,
    [],
  );
  const { version = 0, encoding = '', things = 0 } = room ?? {};
  if (version < OLDEST)
    throw refused('target_too_old', 'The target is older than Postgres 14. Move into a newer one.');
  if (encoding !== 'UTF8')
    throw refused(
      'target_encoding',
      `The target has the encoding ${encoding}, which cannot represent all texts. Move into a database WITH ENCODING 'UTF8'.`,
    );
  if (things > 0)
    throw refused(
      'target_not_empty',
      'The target already has a schema millrace that is not empty. Move into a database without one; if you do not need it, DROP SCHEMA millrace CASCADE removes it.',
    );
}

/** Both schemas come from the same migrations; tables changed by hand are reported. */
function requireSame(ours: readonly Table[], theirs: readonly Table[]): void {
  const shape = (tables: readonly Table[]) =>
    new Map(tables.map(({ name, columns }) => [name, JSON.stringify(columns)]));
  const [before, after] = [shape(ours), shape(theirs)];
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  if (differing.length > 0)
    throw refused(
      'source_changed',
      `Tables of the schema millrace differ from what this version’s migrations create: ${differing.join(', ')}. They were changed or added by hand; undo that first.`,
    );
}

function refused(code: string, detail: string): ProgramRefused {
  return new ProgramRefused(code, code === 'source_missing' ? 'notFound' : 'refused', detail);
}

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
async function copySequences(from: Session, to: Session): Promise<number> {
  const sequences = await from.query<{ name: string }>(SEQUENCES, []);
  for (const { name } of sequences) {
    const text = `SELECT last_value::text AS last, is_called FROM ${inSchema(name)}`;
    const [row] = await from.query<{ last: string; is_called: boolean }>({ name: '', text }, []);
    if (row !== undefined) await to.query(SET, [inSchema(name), row.last, row.is_called]);
  }
  return sequences.length;
}
