import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectStorage } from '@millrace/object-storage';
import { type Database, migrate } from '@millrace/store-postgres';
import { type Server, openServer } from '../../../connectors/object-storage/test/server.ts';
import { openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { createOutputs } from '../src/outputs/outputs.ts';
import { MIGRATIONS } from '../src/runs/open.ts';
import type { ByteRange, FilePlace, OpenParams, Output, Outputs } from '../src/outputs/types.ts';

export const MIB = 1024 * 1024;
export const NEVER = new AbortController().signal;

/** Where files are written to in a test, and how to look there from outside. */
export interface Place {
  readonly outputs: Outputs;
  /** What a chunk must have to be synced. */
  readonly chunkBytes: number;
  /** The names of what is there, without uploads that are not complete. */
  names(): Promise<string[]>;
  uploads(): Promise<string[]>;
  open(params: Partial<OpenParams> & Pick<OpenParams, 'epoch'>): Promise<Output>;
  close(): Promise<void>;
}

export interface LocalPlaceToTest extends Place {
  readonly folder: string;
}

export interface S3PlaceToTest extends Place {
  readonly storage: ObjectStorage;
}

export const JOB = 'pg-7';
export const NAMESPACE = 'inst';
/** The least that the storage takes: a test has several parts. */
export const PART = 5 * MIB;

export async function openLocalPlace(): Promise<LocalPlaceToTest> {
  const parent = await mkdtemp(join(tmpdir(), 'millrace-outputs-'));
  const folder = join(parent, 'reports');
  const outputs = createOutputs({ folder, s3: null });
  return {
    folder,
    outputs,
    chunkBytes: 100_000,
    names: async () => (await readdir(folder)).toSorted(),
    uploads: async () => [],
    open: (params) => outputs.open({ job: JOB, at: null, signal: NEVER, ...params }),
    close: () => rm(parent, { recursive: true, force: true }),
  };
}

let shared: Promise<SharedDatabase> | null = null;

interface SharedDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

async function openSharedDatabase(): Promise<SharedDatabase> {
  const opened = await openTestDatabase('postgres');
  const store = await opened.open();
  await migrate(store.database, MIGRATIONS);
  return {
    database: store.database,
    async close() {
      await store.close();
      await opened.drop();
    },
  };
}

/** One database for a test file, which closes it. */
export async function openDatabasePlace(): Promise<Place & { readonly database: Database }> {
  shared ??= openSharedDatabase();
  const { database } = await shared;
  const folder = join(tmpdir(), `millrace-none-${randomBytes(6).toString('hex')}`);
  const outputs = createOutputs({ folder, s3: null, database, into: 'database' });
  const all = { name: '', text: 'SELECT name FROM millrace.report_files ORDER BY name' };
  return {
    database,
    outputs,
    chunkBytes: MIB + 1_000,
    names: async () => (await database.query<{ name: string }>(all, [])).map(({ name }) => name),
    uploads: async () => [],
    open: (params) => outputs.open({ job: JOB, at: null, signal: NEVER, ...params }),
    async close() {
      await database.query({ name: '', text: 'DELETE FROM millrace.report_files' }, []);
    },
  };
}

export async function closeSharedDatabase(): Promise<void> {
  await (await shared)?.close();
  shared = null;
}

let server: Promise<Server> | null = null;

/** One server for a test file, which closes it. */
export function sharedServer(): Promise<Server> {
  server ??= openServer();
  return server;
}

export async function closeSharedServer(): Promise<void> {
  await (await server)?.close();
  server = null;
}

export async function openS3Place(
  storageOf: (server: Server) => ObjectStorage = (each) => each.open(),
): Promise<S3PlaceToTest> {
  const storage = storageOf(await sharedServer());
  const folder = join(tmpdir(), `millrace-none-${randomBytes(6).toString('hex')}`);
  const s3 = { storage, namespace: NAMESPACE, partBytes: () => PART };
  const outputs = createOutputs({ folder, s3 });
  const keys = async (pages: AsyncIterable<readonly { key: string }[]>): Promise<string[]> => {
    const found: string[] = [];
    for await (const page of pages) found.push(...page.map(({ key }) => key));
    return found.map((key) => key.slice(NAMESPACE.length + 1));
  };
  return {
    storage,
    outputs,
    chunkBytes: PART,
    names: () => keys(storage.list(`${NAMESPACE}/`)),
    uploads: () => keys(storage.listUploads(`${NAMESPACE}/`)),
    open: (params) => outputs.open({ job: JOB, at: null, signal: NEVER, ...params }),
    close: () => Promise.resolve(),
  };
}

/** A chunk that no other chunk is like. */
export function chunkOf(number: number, size: number): Buffer {
  const line = `${number},${createHash('sha256').update(String(number)).digest('hex')}\n`;
  return Buffer.alloc(size, line);
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function readAll(
  outputs: Outputs,
  file: FilePlace,
  range?: ByteRange,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of outputs.read(file, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}
