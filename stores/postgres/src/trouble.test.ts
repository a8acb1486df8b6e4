import { StoreUnavailable } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabases, testDatabases } from '../test/databases.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';
import { createTrouble } from './trouble.ts';

function refusal(code: string): Error {
  return Object.assign(new pg.DatabaseError('No.', 3, 'error'), { code });
}

describe('what is known of a database that answers and does not work', () => {
  it('is what a statement was refused for, until that very statement passes', () => {
    const trouble = createTrouble(() => 0);
    trouble.failed('settle', refusal('53100'));
    trouble.passed('now');
    expect(trouble.current()).toBe('The disk of the database is full.');
    trouble.passed('settle');
    expect(trouble.current()).toBeNull();
  });

  it('is forgotten where nobody has asked since', () => {
    let now = 0;
    const trouble = createTrouble(() => now);
    trouble.failed('settle', refusal('25006'));
    now = 30_000;
    expect(trouble.current()).toBe('The database is read-only.');
    now = 30_001;
    expect(trouble.current()).toBeNull();
  });

  it('is nothing for faults of the data or the line', () => {
    const trouble = createTrouble();
    for (const code of ['23505', '57P01', '40P01', 'ECONNRESET'])
      trouble.failed('settle', refusal(code));
    expect(trouble.current()).toBeNull();
  });
});

describe('a database', () => {
  let databases: TestDatabases;
  let store: PostgresStore;
  let admin: pg.Client;
  let name: string;
  const cleanups: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    databases = await testDatabases();
  });
  afterAll(() => databases.remove());
  beforeEach(async () => {
    const database = await databases.create();
    name = new URL(database.url).pathname.slice(1);
    const role = `millrace_role_${name}`;
    admin = new pg.Client(database.url);
    await admin.connect();
    await admin.query(`
      CREATE ROLE ${role} LOGIN;
      GRANT USAGE ON SCHEMA millrace TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA millrace TO ${role};
      GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA millrace TO ${role}`);
    cleanups.push(async () => {
      await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await admin.end();
      await database.drop();
    });
    store = await openPostgresStore({
      url: Object.assign(new URL(database.url), { username: role }).href,
    });
    cleanups.push(() => store.close());
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function reconnect(): Promise<void> {
    await admin.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1`,
      [`millrace_role_${name}`],
    );
  }
  const enqueue = () => store.enqueue({ jobs: [newJob({})] });

  it.each([
    [
      'that became read-only',
      () => `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      () => `ALTER DATABASE ${name} RESET default_transaction_read_only`,
      'The database is read-only',
    ],
    [
      'whose role has lost a right',
      () => `REVOKE INSERT ON millrace.jobs FROM millrace_role_${name}`,
      () => `GRANT INSERT ON millrace.jobs TO millrace_role_${name}`,
      'The role that Millrace has in the database lacks a right',
    ],
    [
      'that takes no more connections',
      () => `ALTER ROLE millrace_role_${name} CONNECTION LIMIT 0`,
      () => `ALTER ROLE millrace_role_${name} CONNECTION LIMIT -1`,
      'The database takes no more connections',
    ],
  ])(
    '%s is called by its name, and works again when that is fixed',
    async (_, spoil, repair, condition) => {
      await enqueue();
      expect(store.database.trouble()).toBeNull();
      await admin.query(spoil());
      await reconnect();
      const refused = await enqueue().catch((error: unknown) => error);
      // The first one may still have had a connection that was cut.
      const told =
        store.database.trouble() === null
          ? await enqueue().catch((error: unknown) => error)
          : refused;
      expect(told).toBeInstanceOf(StoreUnavailable);
      expect(String(told)).toContain(`StoreUnavailable: ${condition} (`);
      expect(store.database.trouble()).toBe(`${condition}.`);
      await admin.query(repair());
      await reconnect();
      await enqueue().catch(() => enqueue());
      expect(store.database.trouble()).toBeNull();
    },
  );
});
