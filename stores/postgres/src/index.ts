import { PGlite } from '@electric-sql/pglite';
import type { Dependants } from '@millrace/engine';
import { join } from 'node:path';
import type { Database } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { migrate } from './migrate.ts';
import { openPg } from './pg.ts';
import { PLANNING } from './planning.ts';
import { openPglite } from './pglite.ts';
import { type PostgresStore, createStore } from './store.ts';

export {
  type Database,
  type Param,
  type Session,
  type Statement,
  numbers,
  texts,
} from './database.ts';
export { type Migrations, migrate } from './migrate.ts';
export type {
  Announcement,
  Announcements,
  AuditEnd,
  AuditEntry,
  AuditLog,
  AuditParams,
  AuditRecord,
} from './service.ts';
export type { PostgresStore } from './store.ts';

export interface PostgresStoreOptions {
  readonly url: string;
  /** The prefix of its job ids. */
  readonly name?: string;
  readonly dependants?: Dependants;
  readonly poolSize?: number;
  readonly answerWithinMs?: number;
}

export interface PgliteStoreOptions {
  /** A folder that this process has for itself, or a database that the program has open already. */
  readonly source: { readonly folder: string } | { readonly pglite: PGlite };
  readonly name?: string;
  readonly dependants?: Dependants;
}

const NOTHING_FOLLOWS: Dependants = () => [];

/** A store in Postgres 14 or newer. Sets up or updates its schema `millrace`. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const database = openPg({
    url: options.url,
    poolSize: options.poolSize ?? 10,
    answerWithinMs: options.answerWithinMs ?? 30_000,
  });
  try {
    await migrate(database);
    const store = await createStore({
      database,
      name: options.name ?? 'pg',
      dependants: options.dependants ?? NOTHING_FOLLOWS,
    });
    // Where LISTEN does not arrive there is a transaction pooler, and those lose prepared statements too.
    database.setPrepared(store.announcements.arrive());
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A store in an embedded Postgres: the same tables and statements, nothing to install, one process. */
export async function openPgliteStore({
  source,
  name,
  dependants,
}: PgliteStoreOptions): Promise<PostgresStore> {
  if ('pglite' in source)
    return openWith({ ...openPglite(source.pglite), close: () => Promise.resolve() }, () =>
      Promise.resolve(),
    );
  const unlock = await lockFolder(source.folder);
  try {
    const pglite = await PGlite.create({ dataDir: join(source.folder, 'pg') });
    await pglite.exec(PLANNING);
    return await openWith(openPglite(pglite), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }

  async function openWith(
    database: Database,
    onClose: () => Promise<void>,
  ): Promise<PostgresStore> {
    await migrate(database);
    return createStore({
      database,
      name: name ?? 'pg',
      dependants: dependants ?? NOTHING_FOLLOWS,
      onClose,
    });
  }
}
