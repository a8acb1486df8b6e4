import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../src/migrate.ts';
import { openPg } from '../src/pg.ts';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Databases of their own on the test server: a template is migrated once per file, a clone takes 0.1 s. */
export interface TestDatabases {
  create(): Promise<TestDatabase>;
  /** Without anything of ours. */
  createBare(): Promise<TestDatabase>;
  remove(): Promise<void>;
}

/** The template of Postgres that nobody can have changed. */
const BARE = 'template0';

export function testServer(): string {
  const url = process.env['MILLRACE_TEST_DATABASE_URL'];
  if (url === undefined)
    throw new Error(
      'MILLRACE_TEST_DATABASE_URL is not set. Run the tests with "npm test", which starts a private Postgres.',
    );
  return url;
}

export async function testDatabases(server = testServer()): Promise<TestDatabases> {
  const root = new pg.Client(server);
  await root.connect();
  const template = await createFrom(root, server, BARE);
  const database = openPg({ url: template.url, poolSize: 1, answerWithinMs: 30_000 });
  await migrate(database);
  await database.close();

  return {
    create: () => createFrom(root, server, template.name),
    createBare: () => createFrom(root, server, BARE),
    async remove() {
      await template.drop();
      await root.end();
    },
  };
}

/** One without anything of ours, and the connection that it is dropped with. */
export async function bareDatabase(server = testServer()): Promise<TestDatabase> {
  const root = new pg.Client(server);
  await root.connect();
  const { url, drop } = await createFrom(root, server, BARE);
  return {
    url,
    async drop() {
      await drop();
      await root.end();
    },
  };
}

async function createFrom(
  root: pg.Client,
  server: string,
  source: string,
): Promise<TestDatabase & { readonly name: string }> {
  const name = `millrace_test_${randomBytes(6).toString('hex')}`;
  await root.query(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    drop: async () => {
      await root.query(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/**
 * Leaves a migrated database as it was created: no rows, its counters at their beginning, its clock at the present. For the files
 * that want a fresh one for each of hundreds of tests.
 */
export async function emptyDatabase(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ statement: string }>(`
SELECT format('TRUNCATE %s RESTART IDENTITY', string_agg(format('millrace.%I', tablename), ', ')) AS statement
  FROM pg_tables WHERE schemaname = 'millrace' AND tablename <> 'migrations'
UNION ALL
SELECT format('ALTER SEQUENCE millrace.%I RESTART', sequencename) FROM pg_sequences WHERE schemaname = 'millrace'`);
  await admin.query(rows.map(({ statement }) => statement).join(';'));
  await admin.query(clockAheadBy(0));
}

/** Replaces the one function that every statement asks for the time. */
export function clockAheadBy(ms: number): string {
  return `CREATE OR REPLACE FUNCTION millrace.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
          AS 'SELECT now() + interval ''${ms} milliseconds'''`;
}
