import { readFile, readdir } from 'node:fs/promises';
import type { Database, Session, Statement } from './database.ts';
import { isDenied } from './errors.ts';

const QUEUE = { owner: '', folder: new URL('../migrations/', import.meta.url) };

/** The numbered files of one owner. The queue's own have no name before them, a workload's have its name. */
export interface Migrations {
  readonly owner: string;
  readonly folder: URL;
}

const LOCK: Statement = {
  name: '',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.migrate'))`,
};
// Asked of the catalogue: a role without rights on the schema may ask it too.
const HAS_SCHEMA: Statement = {
  name: '',
  text: `
SELECT to_regnamespace('millrace') IS NOT NULL AS schema, EXISTS (
  SELECT FROM pg_class WHERE relnamespace = to_regnamespace('millrace') AND relname = 'migrations') AS tables`,
};
const WHO: Statement = {
  name: '',
  text: `
SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
       (SELECT quote_ident(nspowner::regrole::text) FROM pg_namespace WHERE nspname = 'millrace') AS owner`,
};
const APPLIED: Statement = { name: '', text: 'SELECT name FROM millrace.migrations ORDER BY name' };
const RECORD: Statement = { name: '', text: 'INSERT INTO millrace.migrations (name) VALUES ($1)' };

/** Applies the numbered files that the database has not seen. Replicas that start together take turns. */
export async function migrate(
  database: Database,
  migrations: Migrations = QUEUE,
): Promise<string[]> {
  const { folder } = migrations;
  const files = await filesIn(folder);
  try {
    return await database.transaction((session) => applyPending(session, migrations, files));
  } catch (error) {
    if (isDenied(error)) throw await missingRight(database, error);
    throw error;
  }
}

/** For a role that changes no tables: what is missing is said, and left to whoever may make it. */
export async function requireMigrated(
  database: Database,
  { owner, folder }: Migrations = QUEUE,
): Promise<void> {
  const [has] = await database.query<{ tables: boolean }>(HAS_SCHEMA, []);
  const applied = has?.tables === true ? await database.query<{ name: string }>(APPLIED, []) : [];
  const known = new Set(applied.map(({ name }) => name));
  const prefix = owner === '' ? '' : `${owner}/`;
  const missing = (await filesIn(folder)).filter((name) => !known.has(`${prefix}${name}`));
  if (missing.length > 0)
    throw new Error(
      `The tables of Millrace in this database are not there or not of this version (${missing.join(', ')}). Start Millrace once as a role that may set them up.`,
    );
}

async function filesIn(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
}

async function applyPending(
  session: Session,
  { owner, folder }: Migrations,
  files: readonly string[],
): Promise<string[]> {
  const prefix = owner === '' ? '' : `${owner}/`;
  await session.query(LOCK, []);
  const [has] = await session.query<{ schema: boolean; tables: boolean }>(HAS_SCHEMA, []);
  // Where somebody made the schema for a role, the role need not have the right to make one.
  if (has?.schema !== true) await session.script('CREATE SCHEMA millrace');
  if (has?.tables !== true)
    await session.script(
      'CREATE TABLE millrace.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
  const all = (await session.query<{ name: string }>(APPLIED, [])).map(({ name }) => name);
  const applied = new Set(
    all
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length))
      .filter((name) => !name.includes('/')),
  );
  const unknown = [...applied].filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `The database was set up by a newer Millrace (${unknown.join(', ')}). Update this one.`,
    );
  }
  const pending = files.filter((name) => !applied.has(name));
  for (const name of pending) {
    await session.script(await readFile(new URL(name, folder), 'utf8'));
    await session.query(RECORD, [`${prefix}${name}`]);
  }
  return pending;
}

/** What an owner has to run for a role that works in the schema and changes nothing about it. */
function grantsFor(role: string): string {
  return `GRANT USAGE ON SCHEMA millrace TO ${role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA millrace TO ${role}; GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA millrace TO ${role};`;
}

async function missingRight(database: Database, cause: unknown): Promise<Error> {
  const [who] = await database.query<{ role: string; database: string; owner: string | null }>(
    WHO,
    [],
  );
  const { role = 'this role', database: name = 'the database', owner = null } = who ?? {};
  const why = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : '';
  return new Error(
    owner === null
      ? `The role ${role} may not set up the schema millrace (${why}). Run as the owner of the database: GRANT CREATE ON DATABASE ${name} TO ${role}; or start Millrace once as a role that may, and then run: ${grantsFor(role)}`
      : `The role ${role} lacks a right on the schema millrace (${why}). To set up or update its tables, start Millrace once as its owner ${owner}. To work in it, run as ${owner}: ${grantsFor(role)}`,
    { cause },
  );
}
