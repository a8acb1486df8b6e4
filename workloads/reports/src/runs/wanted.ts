import type { JobSummary, Queue } from '@millrace/engine';
import { type Database, type Statement, numbers } from '@millrace/store-postgres';
import { type FilePlace, type OutputName, filePlaceSchema } from '../outputs/types.ts';
import { partsOf } from '../outputs/parts.ts';
import { seqOf } from './record.ts';

// Also of runs that are to be forgotten: their file is removed by its own name. $1 seq[]
const NAMED: Statement = {
  name: 'reports_named_files',
  text: `
SELECT seq::float8 AS seq, file FROM millrace.report_runs
 WHERE seq = ANY ($1::text::bigint[]) AND file IS NOT NULL AND file_gone_at IS NULL`,
};

/**
 * Which files somebody still wants: those of runs that are not over, those that a run has for download, and the parts of runs that
 * failed or were cancelled, for as long as files are kept, since a retry goes on with them.
 */
export function createWanted(parts: {
  database: Database;
  queue: Pick<Queue, 'summaries'>;
  keepMs: number;
}): (files: readonly OutputName[]) => Promise<ReadonlySet<string>> {
  const { database, queue, keepMs } = parts;
  return async (files) => {
    const jobs = [...new Set(files.map(({ job }) => job))];
    const known = new Map((await queue.summaries(jobs)).map((job) => [job.id, job]));
    const seqs = jobs.map(seqOf).filter((seq) => seq !== null);
    const rows = await database.query<{ seq: number; file: unknown }>(NAMED, [numbers(seqs)]);
    const named = new Set(rows.flatMap(({ file }) => nameOf(file)));
    const now = Date.now();
    return new Set(
      files
        .filter(({ name, job }) => named.has(name) || mayGoOn(known.get(job), now - keepMs))
        .map(({ name }) => name),
    );
  };
}

function mayGoOn(job: JobSummary | undefined, since: number): boolean {
  if (job === undefined || job.state === 'SUCCEEDED') return false;
  return job.finishedAt === null || job.finishedAt > since;
}

function nameOf(file: unknown): string[] {
  const { data } = filePlaceSchema.safeParse(file);
  return data === undefined ? [] : namesIn(data);
}

function namesIn(place: FilePlace): string[] {
  return 'name' in place
    ? partsOf(place).map(({ name }) => name)
    : [place.key.split('/').at(-1) ?? ''];
}
