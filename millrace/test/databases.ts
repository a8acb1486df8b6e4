import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { type TestDatabases, testDatabases } from '../../stores/postgres/test/databases.ts';

export interface AppDatabase {
  readonly url: string;
  /** As a program has one. */
  readonly pool: pg.Pool;
}

/** For one test: `fresh` has the tables of Millrace, `bare` has nothing. */
export function useDatabases(): { fresh(): Promise<AppDatabase>; bare(): Promise<AppDatabase> } {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases();
  });
  afterAll(() => databases.remove());

  async function opened(create: 'create' | 'createBare'): Promise<AppDatabase> {
    const { url, drop } = await databases[create]();
    const pool = new pg.Pool({ connectionString: url });
    // A connection that still says goodbye when its database is dropped.
    pool.on('error', () => {});
    onTestFinished(async () => {
      await pool.end();
      await drop();
    });
    return { url, pool };
  }
  return { fresh: () => opened('create'), bare: () => opened('createBare') };
}
