import type { PGlite } from '@electric-sql/pglite';
import type { Dependants } from '@millrace/engine';
import { join } from 'node:path';
import type { ConnectOptions } from './connect.ts';
import type { Database, Statement } from './database.ts';
import { lockFolder } from './embedded/folder-lock.ts';
import { migrate, requireMigrated } from './migrate.ts';
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
export { lockFolder };
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
  type WaitingLane,
  type Whose,
} from './figures.ts';
export { type Migrations, migrate } from './migrate.ts';
export { type RunInside, sessionOf } from './own-sessions.ts';
export { type Announcer, createAnnouncer } from './replica/announcer.ts';
export { FIRST_BUCKET_MS, bucketOf } from './replica/buckets.ts';
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
} from './service.ts';
export type { PostgresStore } from './store.ts';

export type PostgresStoreOptions = ConnectOptions & {
  /** The prefix of its job ids. */
  readonly name?: string;
  readonly dependants?: Dependants;
  readonly poolSize?: number;
  readonly answerWithinMs?: number;
  /** False: the tables are somebody else's to set up, and are only looked at. */
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
  readonly name?: string;
  readonly dependants?: Dependants;
}

const NOTHING_FOLLOWS: Dependants = () => [];

/** A store in Postgres 14 or newer. Sets up or updates its schema `millrace`. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const database = openPg({ poolSize: 10, answerWithinMs: 30_000, ...options });
  try {
    await (options.migrate === false ? requireMigrated(database) : migrate(database));
    const store = await createStore({
      database,
      name: options.name ?? 'pg',
      dependants: options.dependants ?? NOTHING_FOLLOWS,
      onNotify(arrives) {
        // Where LISTEN does not arrive there is a transaction pooler, and those lose prepared statements too.
        database.setPrepared(arrives);
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

/** A store in an embedded Postgres: the same tables and statements, nothing to install, one process. */
export async function openPgliteStore(options: PgliteStoreOptions): Promise<PostgresStore> {
  const { source } = options;
  if ('pglite' in source) {
    const database = { ...openPglite(source.pglite), close: () => Promise.resolve() };
    await migrate(database);
    return embedded(options, database);
  }
  // Only here: a program that has a Postgres need not load one.
  const { openFolder } = await import('./embedded/pglite-folder.ts');
  const unlock = await lockFolder(source.folder);
  try {
    const pglite = await openFolder(join(source.folder, 'pg'), {
      isDurable: source.durable ?? true,
    });
    try {
      await pglite.exec(PLANNING);
      const database = openPglite(pglite);
      await migrate(database);
      await database.query(END_LEASES, []);
      return await embedded(options, database, unlock);
    } catch (error) {
      await pglite.close();
      throw error;
    }
  } catch (error) {
    await unlock();
    throw error;
  }
}

function embedded(
  { name, dependants }: PgliteStoreOptions,
  database: Database,
  onClose?: () => Promise<void>,
): Promise<PostgresStore> {
  return createStore({
    database,
    name: name ?? 'pg',
    dependants: dependants ?? NOTHING_FOLLOWS,
    ...(onClose !== undefined && { onClose }),
  });
}
