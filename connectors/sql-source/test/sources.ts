import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import { createDatabase, lockFolder } from '../../../stores/postgres/src/index.ts';
import { bareDatabase } from '../../../stores/postgres/test/databases.ts';
import {
  type CopiedRows,
  type Cut,
  type EmbeddedSource,
  type PostgresSourceOptions,
  type Reading,
  SourceError,
  type SqlSource,
  openEmbeddedSource,
  openPostgresSource,
} from '../src/index.ts';

await need('build'); // an embedded database is in a thread, which runs what is built

export const KINDS = ['postgres', 'embedded'] as const;

/** A source with a database of its own, and the way to put something into it. */
export interface TestSource {
  readonly source: SqlSource;
  script(sql: string): Promise<void>;
  drop(): Promise<void>;
}

export function openTestSource(kind: (typeof KINDS)[number]): Promise<TestSource> {
  return kind === 'postgres' ? openTestPostgres() : openTestEmbedded();
}

export interface TestPostgres extends TestSource {
  readonly url: string;
  readonly admin: pg.Client;
  /** Sessions of readings that the server has: none, or what it waits for with each. */
  sessions(): Promise<string[]>;
}

export async function openTestPostgres(
  options: Partial<PostgresSourceOptions> = {},
): Promise<TestPostgres> {
  const { url, drop } = await bareDatabase();
  const admin = new pg.Client(url);
  await admin.connect();
  const source = openPostgresSource({ connection: { connectionString: url }, ...options });
  return {
    source,
    url,
    admin,
    script: async (sql) => void (await admin.query(sql)),
    sessions: () => sessionsOf(admin),
    async drop() {
      await source.close();
      await admin.end();
      await drop();
    },
  };
}

export async function sessionsOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ wait: string | null }>(
    `SELECT wait_event AS wait FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  return rows.map(({ wait }) => wait ?? 'runs');
}

/** A server's process notices a moment later that its client is gone. */
export async function untilNoSessions({ sessions }: Pick<TestPostgres, 'sessions'>): Promise<void> {
  while ((await sessions()).length > 0);
}

export interface TestEmbedded extends TestSource {
  readonly source: EmbeddedSource;
  readonly folder: string;
}

export async function openTestEmbedded(): Promise<TestEmbedded> {
  const folder = temporary();
  const source = openEmbeddedSource({ folder, lock: lockFolder, create: createDatabase });
  return {
    source,
    folder,
    script: source.change,
    async drop() {
      await source.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'millrace-source-'));
}

/** One reading, ended in any case. */
export async function reading<T>(
  source: SqlSource,
  work: (reading: Reading) => Promise<T>,
  options: { statementTimeoutMs?: number; signal?: AbortSignal } = {},
): Promise<T> {
  const begun = await source.begin({ statementTimeoutMs: 30_000, ...options });
  try {
    return await work(begun);
  } finally {
    await begun.end();
  }
}

export async function collect(batches: AsyncIterable<CopiedRows>): Promise<CopiedRows[]> {
  const all: CopiedRows[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

export async function copied(from: Reading, sql: string, cut: Partial<Cut> = {}): Promise<string> {
  const batches = await collect(from.copy(sql, { bytes: 1, rows: 1, ...cut }));
  return Buffer.concat(batches.map(({ bytes }) => bytes)).toString();
}

export async function refused(work: Promise<unknown>): Promise<SourceError> {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(SourceError);
  return thrown as SourceError;
}
