import { readFile, readdir } from 'node:fs/promises';
import type { Database, Statement } from './database.ts';

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
const HAS_SCHEMA: Statement = {
  name: '',
  text: `SELECT to_regclass('millrace.migrations') IS NOT NULL AS there`,
};
const APPLIED: Statement = { name: '', text: 'SELECT name FROM millrace.migrations ORDER BY name' };
const RECORD: Statement = { name: '', text: 'INSERT INTO millrace.migrations (name) VALUES ($1)' };

/** Applies the numbered files that the database has not seen. Replicas that start together take turns. */
export async function migrate(
  database: Database,
  { owner, folder }: Migrations = QUEUE,
): Promise<string[]> {
  const prefix = owner === '' ? '' : `${owner}/`;
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return database.transaction(async (session) => {
    await session.query(LOCK, []);
    const [schema] = await session.query<{ there: boolean }>(HAS_SCHEMA, []);
    if (schema?.there !== true) {
      await session.script(`
        CREATE SCHEMA IF NOT EXISTS millrace;
        CREATE TABLE millrace.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());`);
    }
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
  });
}
