import type { Database, Session, Statement } from './database.ts';
import { StoreUnavailable } from '@millrace/engine';
import { isDenied, isLocked } from './errors.ts';
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
SELECT to_regnamespace('millrace') IS NOT NULL AS schema, m.oid IS NOT NULL AS tables
  FROM (SELECT) one
  LEFT JOIN pg_class m ON m.relnamespace = to_regnamespace('millrace') AND m.relname = 'migrations'`,
};
const APPLIED: Statement = {
  name: '',
  text: `
SELECT name, compatible_from FROM millrace.migrations ORDER BY name`,
};

/** The migrations to run, in their order. */
export interface Plan {
  /** Before everything else: the schema itself, and the table that remembers what was run. */
  readonly base: readonly string[];
  readonly parts: readonly PartState[];
}

/** The plan of `migrate`. Nothing is changed. */
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
  return ['BEGIN;', WAIT_SHORTLY, ...base, ...steps.map(sqlOf), 'COMMIT;', ''].join('\n\n');
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
  // Whatever the role has: this lock holds nobody up but those who want to migrate.
  await session.script('SET LOCAL lock_timeout = 0');
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
  if (pending.length === 0) return [];
  await session.script([WAIT_SHORTLY, ...base].join('\n'));
  for (const migration of pending)
    await session.script(sqlOf(migration)).catch((error: unknown) => {
      // A transient error, or a missing right, is no fault of the migration.
      throw error instanceof StoreUnavailable ? error : failed(migration, error);
    });
  return pending.map(({ file }) => file);
}

/**
 * A statement that waits for a table lets nobody past: claims that came after it wait behind it, for as long as the transaction
 * before it takes, be it a dump of an hour. So it gives up before the work is held up for long.
 */
const LOCK_WITHIN_S = 5;
const WAIT_SHORTLY = `SET LOCAL lock_timeout = '${LOCK_WITHIN_S}s';`;

function failed({ name }: Migration, cause: unknown): SchemaRefused {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SchemaRefused(
    'migration_failed',
    `The migration ${name} failed (${why}), and nothing of its part was changed. The schema millrace is not as the migrations before it have left it: find out who has changed it, or restore a backup (docs/operations/upgrade.md).`,
    { cause },
  );
}

async function planIn(session: Session, owners: readonly Migrations[]): Promise<Plan> {
  const [has = NOTHING] = await session.query<Has>(HAS, []);
  return planOf(owners, has, has.tables ? await session.query<Applied>(APPLIED, []) : []);
}

type Has = { schema: boolean; tables: boolean };
const NOTHING: Has = { schema: false, tables: false };

/** The state of a database that is not there yet. */
export function planEmpty(owners: readonly Migrations[]): Promise<Plan> {
  return planOf(owners, NOTHING, []);
}

async function planOf(
  owners: readonly Migrations[],
  { schema, tables }: Has,
  applied: readonly Applied[],
): Promise<Plan> {
  return {
    // Where somebody made the schema for a role, the role need not have the right to make one.
    base: [...(schema ? [] : ['CREATE SCHEMA millrace;']), ...(tables ? [] : [CREATE_TABLE])],
    parts: await Promise.all(
      owners.map(async (owner) => stateOf(owner, await readMigrations(owner), applied)),
    ),
  };
}

const CREATE_TABLE = `CREATE TABLE millrace.migrations (
  name text PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now(),
  compatible_from integer NOT NULL
);`;

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
    if (isLocked(error)) throw await locked(database, error);
    throw error;
  }
}

// The one that has been at it for longest. The role may not see of others what they do.
const HOLDER: Statement = {
  name: '',
  text: `
SELECT format('pid %s, role %s, program "%s", %s, since %s', a.pid, a.usename, a.application_name, a.state, a.xact_start::timestamptz(0)) AS who
  FROM pg_locks l
  JOIN pg_class c ON c.oid = l.relation AND c.relnamespace = to_regnamespace('millrace')
  JOIN pg_stat_activity a ON a.pid = l.pid
 WHERE l.granted AND a.datname = current_database() AND a.pid <> pg_backend_pid()
 ORDER BY a.xact_start LIMIT 1`,
};

async function locked(database: Database, cause: unknown): Promise<SchemaRefused> {
  const [holder] = await database.query<{ who: string }>(HOLDER, []);
  const who = holder === undefined ? '' : ` (${holder.who})`;
  return new SchemaRefused(
    'schema_locked',
    `A table of the schema millrace was held for more than ${LOCK_WITHIN_S} s by another session${who}. To wait longer would hold up all jobs; nothing of this part was changed. Try again once that session has ended, as a backup does, or end it.`,
    { cause },
  );
}
