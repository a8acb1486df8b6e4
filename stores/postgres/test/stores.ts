import { PGlite } from '@electric-sql/pglite';
import type { Dependants } from '@millrace/engine';
import pg from 'pg';
import { type PostgresStore, openPgliteStore, openPostgresStore } from '../src/index.ts';
import { bareDatabase } from './databases.ts';

/**
 * For tests of a workload on both kinds of databases: a database per test file, and in it a fresh schema per test. Opening a
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

export const DATABASES = ['postgres', 'pglite'] as const;

export function openTestDatabase(which: (typeof DATABASES)[number]): Promise<TestDatabase> {
  return which === 'postgres' ? onPostgres() : onPglite();
}

const RESET = 'DROP SCHEMA IF EXISTS millrace CASCADE';

async function onPglite(): Promise<TestDatabase> {
  const pglite = await PGlite.create();
  const script = async (sql: string): Promise<void> => {
    await pglite.exec(sql);
  };
  return {
    open: (dependants) =>
      openPgliteStore({ source: { pglite }, ...(dependants !== undefined && { dependants }) }),
    reset: () => script(RESET),
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
    reset: () => script(RESET),
    script,
    async drop() {
      await own.end();
      await drop();
    },
  };
}
