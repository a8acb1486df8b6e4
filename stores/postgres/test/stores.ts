import { PGlite } from '@electric-sql/pglite';
import type { Dependants } from '@millrace/engine';
import { type PostgresStore, openPgliteStore, openPostgresStore } from '@millrace/store-postgres';
import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database per test file, and in it a fresh schema per test: opening one takes seconds (PGlite) or 0.1 s. */
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
  const server = process.env['MILLRACE_TEST_DATABASE_URL'];
  if (server === undefined)
    throw new Error('MILLRACE_TEST_DATABASE_URL is not set. Run the tests with "npm test".');
  const name = `millrace_queries_${randomBytes(6).toString('hex')}`;
  const root = new pg.Client(server);
  await root.connect();
  await root.query(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const own = new pg.Client(url.href);
  await own.connect();
  const script = async (sql: string): Promise<void> => {
    await own.query(sql);
  };
  return {
    open: (dependants) =>
      openPostgresStore({ url: url.href, ...(dependants !== undefined && { dependants }) }),
    reset: () => script(RESET),
    script,
    async drop() {
      await own.end();
      await root.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await root.end();
    },
  };
}

/** Replaces the one function that every statement asks for the time. */
export function clockAheadBy(ms: number): string {
  return `CREATE OR REPLACE FUNCTION millrace.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
          AS 'SELECT now() + interval ''${ms} milliseconds'''`;
}
