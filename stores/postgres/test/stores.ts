import { PGlite } from '@electric-sql/pglite';
import type { Dependants } from '@millrace/engine';
import pg from 'pg';
import { isLong, need } from '../../../scripts/need.mjs';
import { type PostgresStore, openPgliteStore, openPostgresStore } from '../src/index.ts';
import { emptyDatabase } from '../src/embedded/new-database.ts';
import { EMPTY, bareDatabase } from './databases.ts';

/**
 * For tests of a workload on either kind of database: a database per test file, emptied for each test. Opening a
 * database takes seconds (PGlite) or 0.1 s.
 */
export interface TestDatabase {
  /** Another handle on the same database, as a replica has. */
  open(dependants?: Dependants): Promise<PostgresStore>;
  /** Forgets everything. Every handle must be closed. */
  reset(): Promise<void>;
  script(sql: string): Promise<void>;
  drop(): Promise<void>;
}

type Which = 'postgres' | 'pglite';

/**
 * The database of this run, for files named `*.both.test.ts`. The SQL is the same on both: the fast suite shows it on Postgres, the
 * long one on PGlite. What differs (connections, folders, locks) has tests of its own in `src/`.
 */
export const DATABASES: readonly Which[] = [isLong ? 'pglite' : 'postgres'];

export function openTestDatabase(which: Which): Promise<TestDatabase> {
  return which === 'postgres' ? onPostgres() : onPglite();
}

/** In memory, from the archive that every new embedded database is a copy of. */
export async function openPgliteInMemory(): Promise<PGlite> {
  await need('build');
  return PGlite.create({ loadDataDir: new Blob([await emptyDatabase()]) });
}

async function onPglite(): Promise<TestDatabase> {
  const pglite = await openPgliteInMemory();
  const script = async (sql: string): Promise<void> => {
    await pglite.exec(sql);
  };
  return {
    open: (dependants) =>
      openPgliteStore({ source: { pglite }, ...(dependants !== undefined && { dependants }) }),
    reset: () => script(EMPTY),
    script,
    drop: () => pglite.close(),
  };
}

async function onPostgres(): Promise<TestDatabase> {
  const { url, drop } = await bareDatabase();
  const own = new pg.Client(url);
  await own.connect();
  const script = async (sql: string): Promise<void> => {
    await own.query(sql);
  };
  return {
    open: (dependants) =>
      openPostgresStore({ url, ...(dependants !== undefined && { dependants }) }),
    reset: () => script(EMPTY),
    script,
    async drop() {
      await own.end();
      await drop();
    },
  };
}
