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
  const template = name('template');
  await root.query(`CREATE DATABASE ${template}`);
  const database = openPg({ url: urlOf(server, template), poolSize: 1, answerWithinMs: 30_000 });
  await migrate(database);
  await database.close();

  async function createFrom(source: string): Promise<TestDatabase> {
    const clone = name('test');
    await root.query(`CREATE DATABASE ${clone} TEMPLATE ${source}`);
    return {
      url: urlOf(server, clone),
      drop: async () => {
        await root.query(`DROP DATABASE ${clone} WITH (FORCE)`);
      },
    };
  }

  return {
    create: () => createFrom(template),
    createBare: () => createFrom('template0'),
    async remove() {
      await root.query(`DROP DATABASE ${template} WITH (FORCE)`);
      await root.end();
    },
  };
}

function name(purpose: string): string {
  return `millrace_${purpose}_${randomBytes(6).toString('hex')}`;
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Replaces the one function that every statement asks for the time. */
export function clockAheadBy(ms: number): string {
  return `CREATE OR REPLACE FUNCTION millrace.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
          AS 'SELECT now() + interval ''${ms} milliseconds'''`;
}
