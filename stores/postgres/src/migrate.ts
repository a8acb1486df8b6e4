import type { Database, Session, Statement } from './database.ts';
import { isDenied } from './errors.ts';
import {
  type Applied,
  type Migration,
  type Migrations,
  type PartState,
  QUEUE,
  SchemaRefused,
  readMigrations,
  stateOf,
} from './migrations.ts';
import { missingRight } from './rights.ts';

const LOCK: Statement = {
  name: '',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.migrate'))`,
};
// Asked of the catalogue: a role without rights on the schema may ask it too.
const HAS: Statement = {
  name: '',
  text: `
SELECT to_regnamespace('millrace') IS NOT NULL AS schema, m.oid IS NOT NULL AS tables, EXISTS (
  SELECT FROM pg_attribute a WHERE a.attrelid = m.oid AND a.attname = 'compatible_from') AS compatibility
  FROM (SELECT) one
  LEFT JOIN pg_class m ON m.relnamespace = to_regnamespace('millrace') AND m.relname = 'migrations'`,
};
// By way of JSON, which has no such member where an earlier version made the table.
const APPLIED: Statement = {
  name: '',
  text: `
SELECT name, (to_jsonb(m) ->> 'compatible_from')::int AS compatible_from FROM millrace.migrations m ORDER BY name`,
};

/** What is to be run, and in which order. */
export interface Plan {
  /** Before everything else: the schema itself, and the table that remembers what was run. */
  readonly base: readonly string[];
  readonly parts: readonly PartState[];
}

/** What `migrate` would do. Nothing is changed. */
export async function planMigrations(
  database: Database,
  owners: readonly Migrations[],
): Promise<Plan> {
  return inWords(database, () => planIn(database, owners));
}

/** The plan as a script for psql, in one transaction; empty where there is nothing to do. */
export function scriptOf({ base, parts }: Plan): string {
  const steps = parts.flatMap(({ pending }) => pending);
  if (steps.length === 0) return '';
  return ['BEGIN;', ...base, ...steps.map(sqlOf), 'COMMIT;', ''].join('\n\n');
}

/**
 * Applies the numbered files that the database has not seen. Replicas that start together take turns. On a database whose schema
 * is fixed it only looks whether all are there.
 */
export async function migrate(
  database: Database,
  migrations: Migrations = QUEUE,
): Promise<string[]> {
  if (database.schemaFixed === true) {
    requireAll(await planMigrations(database, [migrations]));
    return [];
  }
  return inWords(database, () =>
    database.transaction((session) => migrateIn(session, [migrations])),
  );
}

/** Until the end of the transaction nobody else sets up or changes the schema. Who waits here sees what the one before has made. */
export async function lockMigrations(session: Session): Promise<void> {
  await session.query(LOCK, []);
}

/** The same within a transaction of the caller's. */
export async function migrateIn(
  session: Session,
  owners: readonly Migrations[],
): Promise<string[]> {
  await lockMigrations(session);
  const { base, parts } = await planIn(session, owners);
  const pending = parts.flatMap((part) => part.pending);
  // A role that may only work in the schema is refused nothing while there is nothing to do.
  for (const sql of pending.length === 0 ? [] : [...base, ...pending.map(sqlOf)])
    await session.script(sql);
  return pending.map(({ file }) => file);
}

async function planIn(session: Session, owners: readonly Migrations[]): Promise<Plan> {
  const [has = NOTHING] = await session.query<Has>(HAS, []);
  return planOf(owners, has, has.tables ? await session.query<Applied>(APPLIED, []) : []);
}

type Has = { schema: boolean; tables: boolean; compatibility: boolean };
const NOTHING: Has = { schema: false, tables: false, compatibility: false };

/** Of a database that is not there yet. */
export function planEmpty(owners: readonly Migrations[]): Promise<Plan> {
  return planOf(owners, NOTHING, []);
}

async function planOf(
  owners: readonly Migrations[],
  { schema, tables, compatibility }: Has,
  applied: readonly Applied[],
): Promise<Plan> {
  return {
    // Where somebody made the schema for a role, the role need not have the right to make one.
    base: [
      ...(schema ? [] : ['CREATE SCHEMA millrace;']),
      ...(tables ? [] : [CREATE_TABLE]),
      ...(tables && !compatibility ? [ADD_COMPATIBILITY] : []),
    ],
    parts: await Promise.all(
      owners.map(async (owner) => stateOf(owner, await readMigrations(owner), applied)),
    ),
  };
}

const CREATE_TABLE = `CREATE TABLE millrace.migrations (
  name text PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now(),
  compatible_from integer
);`;
const ADD_COMPATIBILITY = 'ALTER TABLE millrace.migrations ADD COLUMN compatible_from integer;';

/** File names have no quotes in them. */
function sqlOf({ name, sql, compatibleFrom }: Migration): string {
  return `-- ${name}\n${sql.trimEnd()}\nINSERT INTO millrace.migrations (name, compatible_from) VALUES ('${name}', ${compatibleFrom});`;
}

function requireAll({ parts }: Plan): void {
  const lacking = parts.flatMap(({ pending }) => pending.map(({ name }) => name));
  if (lacking.length === 0) return;
  throw new SchemaRefused(
    'schema_behind',
    `The schema millrace is older than this version needs: it lacks ${lacking.join(', ')}, and MIGRATE is off. Run "millrace migrate" as the owner of the schema, then start again.`,
  );
}

async function inWords<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDenied(error)) throw await missingRight(database, error);
    throw error;
  }
}
