import type { PGlite } from '@electric-sql/pglite';
import type { Dependants } from '@millrace/engine';
import type { ConnectOptions } from './connect.ts';
import type { Database, Session, Statement } from './database.ts';
import { openEmbedded } from './embedded/open.ts';
import { migrate } from './migrate.ts';
import { openPg } from './pg.ts';
import { PLANNING } from './planning.ts';
import { openPglite } from './embedded/pglite.ts';
import { type PostgresStore, createStore } from './store.ts';

export {
  type ConnectOptions,
  type Credential,
  type Tls,
  type TlsMode,
  connectConfig,
} from './connect.ts';
export {
  type Database,
  type Param,
  type Session,
  type Statement,
  numbers,
  texts,
} from './database.ts';
export { checkPostgres } from './check.ts';
export { lockFolder } from './embedded/folder-lock.ts';
export { createDatabase } from './embedded/new-database.ts';
export { hasEmbedded, openEmbedded } from './embedded/open.ts';
export {
  BUCKETS,
  type Counted,
  type Failure,
  type Figures,
  LEVEL,
  type Level,
  type Range,
  type Rollup,
  SOURCES,
  type Sample,
  type Sampled,
  type Source,
  type Summed,
  type Tally,
  type WaitingSubqueue,
  type Whose,
} from './figures.ts';
export {
  type Plan,
  lockMigrations,
  migrate,
  migrateIn,
  planEmpty,
  planMigrations,
  scriptOf,
} from './migrate.ts';
export { type Migrations, type PartState, QUEUE, SchemaRefused } from './migrations.ts';
export { isDamage } from './errors.ts';
export { openPg } from './pg.ts';
export { grantsTo } from './rights.ts';
export { type RunInside, sessionOf } from './own-sessions.ts';
export { type Announcer, createAnnouncer } from './replica/announcer.ts';
export { FIRST_BUCKET_MS, bucketOf } from './replica/counting.ts';
export { type Counting, createCounting } from './replica/counting.ts';
export { type Keeper, createKeeper } from './replica/keeper.ts';
export type {
  Announcement,
  Announcements,
  AuditEnd,
  AuditEntry,
  AuditLog,
  AuditParams,
  AuditRecord,
  Bulk,
  BulkLog,
  Names,
  NewBulk,
  Saved,
  SavedOf,
  SavedThings,
} from './service.ts';
export type { PostgresStore } from './store.ts';

export type PostgresStoreOptions = ConnectOptions & {
  /** The prefix of its job ids. */
  readonly name?: string;
  readonly dependants?: Dependants;
  readonly poolSize?: number;
  readonly answerWithinMs?: number;
  /** False: the schema is only looked at, and a start on one that is too old is refused. True by default. */
  readonly migrate?: boolean;
  /** Whether notifications arrive: said once at the start, and whenever it changes. Without them the workers poll. */
  readonly onNotify?: (arrives: boolean) => void;
};

export interface PgliteStoreOptions {
  /** A folder that this process has for itself, or a database that the program has open already. */
  readonly source:
    | {
        readonly folder: string;
        /**
         * True by default: what was answered survives a power cut too. False leaves it to the system when it writes to the
         * disk: what was answered survives the end of the process only.
         */
        readonly durable?: boolean;
      }
    | { readonly pglite: PGlite };
  /** As of `PostgresStoreOptions`. */
  readonly migrate?: boolean;
  readonly name?: string;
  readonly dependants?: Dependants;
}

const NOTHING_FOLLOWS: Dependants = () => [];

/** A store in Postgres 14 or newer. Sets up or updates its schema `millrace`, unless `migrate` is false. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const pool = openPg({ poolSize: 10, answerWithinMs: 30_000, ...options });
  const database: Database = { ...pool, schemaFixed: options.migrate === false };
  try {
    await migrate(database);
    const store = await createStore({
      database,
      name: options.name ?? 'pg',
      dependants: options.dependants ?? NOTHING_FOLLOWS,
      onNotify(arrives) {
        // Where LISTEN does not arrive there is a transaction pooler, and those lose prepared statements too.
        pool.setPrepared(arrives);
        options.onNotify?.(arrives);
      },
    });
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

// The folder has one owner, which is this process: whoever had these leases is dead, and nobody waits for them to end.
const END_LEASES: Statement = {
  name: '',
  text: `
WITH own AS (UPDATE millrace.lease SET until = to_timestamp(0))
UPDATE millrace.shared_lease SET until = to_timestamp(0)`,
};

/** All leases are over: of jobs whose worker is known to be gone. */
export async function endLeases(session: Session): Promise<void> {
  await session.query(END_LEASES, []);
}

/** A store in an embedded Postgres: the same tables and statements, nothing to install, one process. */
export async function openPgliteStore(options: PgliteStoreOptions): Promise<PostgresStore> {
  const { source } = options;
  const schemaFixed = options.migrate === false;
  if ('pglite' in source) {
    const database = {
      ...openPglite(source.pglite),
      schemaFixed,
      close: () => Promise.resolve(),
    };
    await migrate(database);
    return embedded(options, database);
  }
  const database = { ...(await openEmbedded(source)), schemaFixed };
  try {
    await database.script(PLANNING);
    await migrate(database);
    await endLeases(database);
    return await embedded(options, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function embedded(
  { name, dependants }: PgliteStoreOptions,
  database: Database,
): Promise<PostgresStore> {
  return createStore({
    database,
    name: name ?? 'pg',
    dependants: dependants ?? NOTHING_FOLLOWS,
  });
}
