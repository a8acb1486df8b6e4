import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Database,
  type PostgresStore,
  type Session,
  lockFolder,
  migrate,
  openPg,
  openPgliteStore,
  openPostgresStore,
} from '@millrace/store-postgres';
import { newJob } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import { type TestDatabase, bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { type DatabasePlace, readDatabasePlace } from '../config/place.ts';
import { migrateSchema } from '../schema/migrate.ts';
import { SCHEMA_PARTS } from '../schema/parts.ts';
import { PLAIN_TEXTS, copyRows } from './copy.ts';
import { digestOf } from './digest.ts';
import { type MoveEvent, move } from './move.ts';
import { tablesOf } from './tables.ts';
import { inFast, inLong } from '../../../scripts/suite.ts';

/** Values that are hard to copy exactly. */
const ODD = [
  '',
  ' ',
  'a"b\'c',
  '\\',
  '\\x41',
  'NULL',
  '{a,b}',
  '(1,2)',
  'line\nline\t',
  'Ünï 漢字 🜲',
];
const CHUNKS = [1, 1_000, 1_000_000].map((size) => randomBytes(size));

/** The settings of an installation that was killed in the middle of its work. */
let folder: string;
let made: {
  readonly leased: string;
  readonly waiting: string;
  readonly installation: string;
  /** Of the table of jobs, below the folder of Postgres. */
  readonly jobsFile: string;
};
/** Where it was moved to, and what was told meanwhile. */
let target: TestDatabase;
let events: readonly MoveEvent[];
let client: pg.Client;
const atEnd: (() => Promise<unknown>)[] = [];
const cleanups: (() => Promise<unknown>)[] = [];

// One for all: to open an embedded database takes a second of a processor.
await need('build');
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-move-'));
  atEnd.push(() => rm(folder, { recursive: true }));
  const store = await openPgliteStore({ source: { folder: join(folder, 'db'), durable: false } });
  for (const part of SCHEMA_PARTS) await migrate(store.database, part);
  made = await fill(store);
  await store.close();
  target = await bareDatabase();
  atEnd.push(() => target.drop());
  events = await moved(embedded(), postgres(target.url));
  client = new pg.Client(target.url);
  await client.connect();
  atEnd.push(() => client.end());
}, 120_000);
afterAll(async () => {
  for (const cleanup of atEnd.splice(0).toReversed()) await cleanup();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await bareDatabase();
  cleanups.push(() => database.drop());
  return database;
}

/** Jobs that wait, run and have ended, and rows of every workload. */
async function fill(store: PostgresStore): Promise<typeof made> {
  const { database } = store;
  const payloads = ODD.map((text) => JSON.stringify({ text, list: [text, null] }));
  const kinds = payloads.map((payload, index) =>
    newJob({ kind: `kind-${index}`, payload, subject: ODD[index] ?? '' }),
  );
  await store.enqueue({ jobs: kinds });
  const [first, second] = await store.enqueue({
    jobs: [
      newJob({ kind: 'leased', key: { value: 'k', windowMs: 1_000 } }),
      newJob({ kind: 'later', due: { afterMs: 3_600_000 } }),
    ],
  });
  const many = Array.from({ length: 40 }, () => newJob({ kind: 'shared' }));
  await store.enqueue({ jobs: many });
  // More than a page of the table, for those who cut it off.
  await store.enqueue({ jobs: Array.from({ length: 300 }, () => newJob({ kind: 'many' })) });
  for (const [index, kind] of ['leased', 'shared'].entries())
    await store.claim({
      worker: 'w',
      claim: index + 7,
      wants: [{ kind, limit: 40 }],
      limit: 40,
      leaseMs: 3_600_000,
    });
  await store.audit.begin({
    entry: {
      actor: 'ada',
      subject: null,
      tenants: ODD,
      action: 'pauseKind',
      target: null,
      filter: '{"a": "\\\\ \\""}',
      correlationId: 'c',
    },
  });
  await database.query(
    {
      name: '',
      text: `
WITH content AS (
  INSERT INTO millrace.document_contents (size, sha256, crc32, created_at) VALUES (1, 'x', 1, now()) RETURNING seq
)
INSERT INTO millrace.document_chunks (content, number, bytes)
SELECT seq, number, decode(hex, 'hex') FROM content, unnest($1::text::text[]) WITH ORDINALITY AS u(hex, number)`,
    },
    [`{${CHUNKS.map((bytes) => bytes.toString('hex')).join(',')}}`],
  );
  await database.script(`
    INSERT INTO millrace.pipeline_runs (tenant, roles, claims, pipeline, digest, plan, parameters, "values", state, created_at, touched_at)
    VALUES ('', '[]', '{}', 'p', 'd', '{"b": 1,  "a": 2}', '{}', '{}', 'running', '2026-03-29 01:30:00.123456+00', now());
    INSERT INTO millrace.pipeline_steps (run, step, place, output) SELECT seq, 's', 1, '[1,  2]' FROM millrace.pipeline_runs;
    INSERT INTO millrace.report_runs (seq, job, report, digest, title, parameters, tenant, correlation_id, format, rows_per_second, created_at)
    VALUES (7, 'pg-7', 'r', 'd', 't', '{}', '', 'c', 'csv', 1234.5678901234567, now())`);
  const [installation] = await database.query<{ id: string }>(INSTALLATION, []);
  const [jobs] = await database.query<{ file: string }>(JOBS_FILE, []);
  return {
    leased: first?.id ?? '',
    waiting: second?.id ?? '',
    installation: installation?.id ?? '',
    jobsFile: jobs?.file ?? '',
  };
}

const embedded = (at = folder): DatabasePlace =>
  readDatabasePlace({ MILLRACE_DATA: at, MILLRACE_DURABLE: 'false' });
const postgres = (url: string): DatabasePlace => readDatabasePlace({ DATABASE_URL: url });

async function moved(from: DatabasePlace, to: DatabasePlace): Promise<MoveEvent[]> {
  const told: MoveEvent[] = [];
  await move(from, to, (event) => told.push(event));
  return told;
}

function tablesIn(told: readonly MoveEvent[]): Map<string, { rows: number; hash: string }> {
  return new Map(told.flatMap((event) => (event.type === 'table' ? [[event.table, event]] : [])));
}

async function rowsOf<R extends Record<string, unknown>>(sql: string): Promise<R[]> {
  return (await client.query<R>(sql)).rows;
}

inFast('everything is there, row by row and byte by byte, and work goes on', async () => {
  const tables = tablesIn(events);
  expect(events.at(0)).toMatchObject({ type: 'begin', tables: tables.size });
  expect(events.at(-1)).toMatchObject({ type: 'end', tables: tables.size });
  expect(tables.get('document_chunks')).toMatchObject({ rows: CHUNKS.length });
  expect(tables.get('lease')).toMatchObject({ rows: 1 });
  expect(tables.get('shared_lease')).toMatchObject({ rows: 1 });
  expect(tables.get('steered')).toMatchObject({ rows: 0, hash: '0'.repeat(32) });

  // By other eyes than those of the move.
  const chunks = await rowsOf<{ bytes: Buffer }>(
    'SELECT bytes FROM millrace.document_chunks ORDER BY number',
  );
  expect(chunks.map(({ bytes }, index) => bytes.equals(CHUNKS[index] ?? Buffer.of()))).toEqual([
    true,
    true,
    true,
  ]);
  const jobs = await rowsOf<{ subject: string; payload: { text: string; list: unknown[] } }>(
    `SELECT subject, payload FROM millrace.jobs WHERE kind LIKE 'kind-%' ORDER BY seq`,
  );
  expect(jobs).toEqual(
    ODD.map((text) => ({ subject: text, payload: { text, list: [text, null] } })),
  );
  expect(await rowsOf('SELECT tenants FROM millrace.audit')).toEqual([{ tenants: ODD }]);
  expect(
    await rowsOf('SELECT plan::text, created_at::text FROM millrace.pipeline_runs'),
  ).toMatchObject([{ plan: '{"b": 1,  "a": 2}' }]);
  expect(await rowsOf('SELECT rows_per_second FROM millrace.report_runs')).toEqual([
    { rows_per_second: 1234.5678901234567 },
  ]);
  expect(await rowsOf(INSTALLATION.text)).toEqual([{ id: made.installation }]);

  const store = await openPostgresStore({ url: target.url });
  cleanups.push(() => store.close());
  const asked = { worker: 'v', wants: [{ kind: 'leased', limit: 1 }], limit: 1, leaseMs: 60_000 };
  // Whose worker is gone is taken over at once, and alone.
  await store.claim({ ...asked, claim: 1 });
  const { jobs: claimed } = await store.claim({ ...asked, claim: 2, alone: true });
  expect(claimed).toMatchObject([{ id: made.leased }]);
  expect(await store.get({ id: made.waiting })).toMatchObject({ state: 'QUEUED' });
  const [next] = await store.enqueue({ jobs: [newJob({})] });
  expect(Number(next?.id.slice(3))).toBeGreaterThan(52);
  // The key of a job that lives is still its own.
  const again = newJob({ kind: 'leased', key: { value: 'k', windowMs: 1_000 } });
  expect(await store.enqueue({ jobs: [again] })).toMatchObject([{ id: made.leased }]);
});

const JOBS_FILE = {
  name: '',
  text: `SELECT pg_relation_filepath('millrace.jobs') AS file`,
};
const INSTALLATION = { name: '', text: 'SELECT id FROM millrace.shell_query_installation' };

inFast('from Postgres into Postgres too, once nobody is connected', async () => {
  const second = await newDatabase();
  const third = await newDatabase();
  const store = await openPostgresStore({ url: target.url });
  const again = () => moved(postgres(target.url), postgres(second.url));
  await expect(again()).rejects.toMatchObject({ code: 'source_in_use' });
  await store.close();
  const tables = tablesIn(await again());
  expect(tables.get('document_chunks')).toEqual(tablesIn(events).get('document_chunks'));
  // The leases are over by then: from there on nothing changes any more.
  expect(tablesIn(await moved(postgres(second.url), postgres(third.url)))).toEqual(
    new Map([...tables].map(([name, digest]) => [name, { ...digest, ...leasesOver(name) }])),
  );
});

function leasesOver(table: string): object {
  return table === 'lease' || table === 'shared_lease' ? { hash: expect.any(String) } : {};
}

describe('it is refused, and the target stays as it is', () => {
  const refusal = (from: DatabasePlace, to: DatabasePlace) =>
    moved(from, to).then(
      () => 'it was moved',
      (error: unknown) => error as { code: string; message: string },
    );

  inFast('where there is nothing to move, or it is in use', async () => {
    const { url } = await newDatabase();
    expect(await refusal(embedded(join(folder, 'nope')), postgres(url))).toMatchObject({
      code: 'source_missing',
      exit: 'notFound',
    });
    const unlock = await lockFolder(join(folder, 'db'));
    cleanups.push(unlock);
    expect(await refusal(embedded(), postgres(url))).toMatchObject({
      code: 'database_not_opened',
      message: expect.stringContaining(`in use by process ${process.pid}`),
    });
  });

  async function connected(): Promise<{ url: string; query(sql: string): Promise<unknown[]> }> {
    const { url } = await newDatabase();
    const own = new pg.Client(url);
    await own.connect();
    cleanups.push(() => own.end());
    return { url, query: async (sql) => (await own.query(sql)).rows };
  }

  /** A database that is set up, and has nothing in it. */
  async function setUp() {
    const source = await connected();
    for await (const _ of migrateSchema(postgres(source.url), { mode: 'apply' }));
    return source;
  }

  inFast('where something is in the target already', async () => {
    const source = await setUp();
    const { url, query } = await connected();
    await query('CREATE SCHEMA millrace; CREATE TABLE millrace.theirs (n int)');
    const asked = () => refusal(postgres(source.url), postgres(url));
    expect(await asked()).toMatchObject({ code: 'target_not_empty' });
    expect(await query('SELECT n FROM millrace.theirs')).toEqual([]);
    await query('DROP TABLE millrace.theirs');
    // A schema that somebody has made for the role is fine.
    expect(await asked()).toBe('it was moved');
  });

  // Both looked, found nothing, and the later one emptied what the earlier one had reported as moved.
  inFast('where another move into it, or a server, was quicker by a moment', async () => {
    const [first, second] = [await setUp(), await setUp()];
    const { url, query } = await connected();
    await query('BEGIN');
    await query(`SELECT pg_advisory_xact_lock(hashtext('millrace.migrate'))`);
    const both = [first, second].map((source) => refusal(postgres(source.url), postgres(url)));
    const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await expect.poll(() => query(waiting), { timeout: 20_000 }).toEqual([{ count: 2 }]);
    await query('COMMIT');
    const answers = await Promise.all(both);
    expect(answers).toContain('it was moved');
    expect(answers).toContainEqual(expect.objectContaining({ code: 'target_not_empty' }));
  });

  inFast('where a file of the source was cut off', async () => {
    const copy = await mkdtemp(join(tmpdir(), 'millrace-cut-'));
    cleanups.push(() => rm(copy, { recursive: true }));
    await cp(folder, copy, { recursive: true });
    await truncate(join(copy, 'db', 'pg', made.jobsFile), 8_192);
    const { url, query } = await connected();
    expect(await refusal(embedded(copy), postgres(url))).toMatchObject({
      code: 'source_damaged',
      message: expect.stringContaining('The table jobs '),
    });
    expect(await query(`SELECT to_regnamespace('millrace') AS schema`)).toEqual([{ schema: null }]);
  });

  inFast('where the target does not keep all texts', async () => {
    const name = `millrace_latin_${randomBytes(4).toString('hex')}`;
    await client.query(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    cleanups.push(() => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    const latin = Object.assign(new URL(target.url), { pathname: `/${name}` }).href;
    expect(await refusal(postgres(target.url), postgres(latin))).toMatchObject({
      code: 'target_encoding',
    });
  });

  inFast('where the source lacks migrations, has newer ones, or other tables', async () => {
    const source = await setUp();
    const { url, query } = await connected();
    const asked = () => refusal(postgres(source.url), postgres(url));
    await source.query('CREATE TABLE millrace.theirs (n int)');
    expect(await asked()).toMatchObject({
      code: 'source_changed',
      message: expect.stringContaining(': theirs.'),
    });
    // It was found out after the tables were made: none of them is there.
    expect(await query(`SELECT to_regnamespace('millrace') AS schema`)).toEqual([{ schema: null }]);
    await source.query(`DROP TABLE millrace.theirs;
      INSERT INTO millrace.migrations (name, compatible_from) VALUES ('900-later.sql', 1)`);
    expect(await asked()).toMatchObject({ code: 'source_newer' });
    await source.query(
      `DELETE FROM millrace.migrations WHERE name IN ('900-later.sql', '001-queue.sql')`,
    );
    expect(await asked()).toMatchObject({
      code: 'source_behind',
      message: expect.stringContaining('(queue). Run "millrace migrate"'),
    });
  });
});

describe('a table', () => {
  let database: Database;
  beforeEach(async () => {
    database = openPg({ url: (await newDatabase()).url, poolSize: 2, answerWithinMs: 60_000 });
    cleanups.push(() => database.close());
    await database.script(`
      CREATE SCHEMA millrace;
      CREATE TABLE millrace.bytes (n int PRIMARY KEY, a bytea, t text);
      CREATE TABLE millrace.copied (LIKE millrace.bytes);
      ALTER TABLE millrace.bytes ALTER a SET STORAGE EXTERNAL`);
  });

  inFast('is the same or not, whatever the order of its rows', async () => {
    await database.script(`
      INSERT INTO millrace.bytes VALUES (1, '\\x00', 'a'), (2, NULL, NULL);
      INSERT INTO millrace.copied VALUES (2, NULL, NULL), (1, '\\x00', 'a')`);
    const wanted = await digestOf(database, 'bytes');
    expect(wanted.rows).toBe(2);
    expect(await digestOf(database, 'copied')).toEqual(wanted);
    for (const change of ["t = ''", "a = '\\x01'", 'n = 3']) {
      await database.script(`UPDATE millrace.copied SET ${change} WHERE n = 1`);
      expect((await digestOf(database, 'copied')).hash, change).not.toBe(wanted.hash);
      await database.script(
        `TRUNCATE millrace.copied; INSERT INTO millrace.copied TABLE millrace.bytes`,
      );
    }
    await database.script('INSERT INTO millrace.copied TABLE millrace.bytes');
    expect((await digestOf(database, 'copied')).rows).toBe(4);
  });

  inLong('is copied in pieces, so that no more than a few megabytes are held', async () => {
    // 15 MB in bytes as they are, and 15 MB of text that is stored as a hundredth of it.
    await database.script(`
      INSERT INTO millrace.bytes SELECT n, decode(repeat(md5(n::text), 31250), 'hex'), NULL FROM generate_series(1, 30) n;
      INSERT INTO millrace.bytes SELECT n, NULL, repeat('x', 500000) FROM generate_series(201, 230) n;
      INSERT INTO millrace.bytes SELECT n, NULL, 'small' FROM generate_series(1001, 6000) n`);
    const sent: number[] = [];
    await database.transaction(async (session) => {
      await session.script(PLAIN_TEXTS);
      const [table] = (await tablesOf(session)).filter(({ name }) => name === 'bytes');
      if (table === undefined) throw new Error('There is no table.');
      const into: Session = {
        script: (sql) => session.script(sql),
        query(statement, params) {
          sent.push(String(params[0]).length);
          const text = statement.text.replace('INTO millrace."bytes"', 'INTO millrace.copied');
          return session.query({ ...statement, text }, params);
        },
      };
      expect(await copyRows(session, into, table)).toBe(5_060);
    });
    expect(Math.max(...sent)).toBeLessThan(10_000_000);
    expect(sent.length).toBeLessThan(20);
    expect(await digestOf(database, 'copied')).toEqual(await digestOf(database, 'bytes'));
  });
});
