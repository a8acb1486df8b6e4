import { type Database, type Session, type Statement, texts } from '@millrace/store-postgres';
import type { FileOf } from '@millrace/workload-kit';
import type { PipelineRunRecord } from './pipeline-run.ts';

/** A file beside a pipeline's own, as it was when a run was submitted. */
export interface KeptFile {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

// $1 sha256 $2 bytes in base64
const KEEP: Statement = {
  name: 'pipelines_keep_file',
  text: `
INSERT INTO millrace.pipeline_files (sha256, bytes, created_at) VALUES ($1, decode($2, 'base64'), millrace.clock())
ON CONFLICT (sha256) DO UPDATE SET created_at = millrace.clock()`,
};

// $1 run $2 name[] $3 sha256[]
const OF_RUN: Statement = {
  name: 'pipelines_files_of_run',
  text: `
INSERT INTO millrace.pipeline_run_files (run, name, sha256)
SELECT $1, * FROM unnest($2::text::text[], $3::text::text[])
ON CONFLICT (run, name) DO UPDATE SET sha256 = excluded.sha256`,
};

// $1 run
const LIST: Statement = {
  name: 'pipelines_list_files',
  text: `SELECT name, sha256 FROM millrace.pipeline_run_files WHERE run = $1`,
};

// $1 sha256
const READ: Statement = {
  name: 'pipelines_read_file',
  text: `SELECT encode(bytes, 'base64') AS bytes FROM millrace.pipeline_files WHERE sha256 = $1`,
};

/** In the transaction that makes the run, so that no upkeep finds them without one. */
export async function keepFiles(
  session: Session,
  run: number,
  files: readonly KeptFile[],
): Promise<void> {
  if (files.length === 0) return;
  // In one order, so that two runs of one pipeline never wait for each other.
  for (const { sha256, bytes } of files.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)))
    await session.query(KEEP, [sha256, Buffer.from(bytes).toString('base64')]);
  const column = (of: (file: KeptFile) => string): string => texts(files.map(of));
  await session.query(OF_RUN, [run, column(({ name }) => name), column(({ sha256 }) => sha256)]);
}

/** The files of a run, each read when it is needed. */
export async function filesOf(
  database: Database,
  { seq }: Pick<PipelineRunRecord, 'seq'>,
): Promise<ReadonlyMap<string, FileOf>> {
  const found = await database.query<{ name: string; sha256: string }>(LIST, [seq]);
  return new Map(
    found.map(({ name, sha256 }) => [name, { name, sha256, read: () => read(database, sha256) }]),
  );
}

async function read(database: Database, sha256: string): Promise<Uint8Array> {
  const [row] = await database.query<{ bytes: string }>(READ, [sha256]);
  if (row === undefined) throw new Error('A file of the pipeline is gone.');
  return Buffer.from(row.bytes, 'base64');
}
