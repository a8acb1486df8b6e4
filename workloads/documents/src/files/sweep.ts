import type { Log } from '@millrace/engine';
import type { Statement } from '@millrace/store-postgres';
import { batchRows } from '../batch/records.ts';
import type { BatchUpkeep } from '../batch/upkeep.ts';
import type { ContentStore } from './contents.ts';
import { removeUnused } from './forget.ts';
import { removeObjects } from './gone.ts';

export interface Swept {
  readonly files: number;
  readonly outputs: number;
  readonly contents: number;
  readonly batches: number;
  /** Batches whose job was asked for again, in case it had gone missing. */
  readonly checked: number;
  /** There was more than fits one round: call again. */
  readonly more: boolean;
}

export interface Sweep {
  runOnce(): Promise<Swept>;
}

// In batches of their own size, so that no transaction holds its locks for long. $1 limit
const EXPIRED_FILES: Statement = {
  name: 'documents_sweep_files',
  text: `
DELETE FROM millrace.document_files WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.document_files WHERE expires_at <= millrace.clock()
   ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING content`,
};

// $1 limit
const EXPIRED_OUTPUTS: Statement = {
  name: 'documents_sweep_outputs',
  text: `
DELETE FROM millrace.document_outputs WHERE key = ANY (ARRAY(
  SELECT key FROM millrace.document_outputs WHERE expires_at <= millrace.clock()
   ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING output, docx`,
};

// Uploads that broke off, and outputs whose file was never recorded. An hour is longer than any of them takes.
// $1 after this one $2 limit
const OLD_CONTENTS: Statement = {
  name: 'documents_sweep_contents',
  text: `
SELECT seq FROM millrace.document_contents c
 WHERE seq > $1 AND created_at < millrace.clock() - interval '1 hour'
   AND NOT EXISTS (SELECT FROM millrace.document_files f WHERE f.content = c.seq)
   AND NOT EXISTS (SELECT FROM millrace.document_outputs o WHERE o.output = c.seq)
   AND NOT EXISTS (SELECT FROM millrace.document_outputs o WHERE o.docx = c.seq)
 ORDER BY seq LIMIT $2`,
};

// Those that are over and expired, and those whose rows stopped coming a day ago. $1 limit
const OLD_BATCHES: Statement = {
  name: 'documents_sweep_batches',
  text: `
DELETE FROM millrace.document_batches WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.document_batches
   WHERE (state IN ('FINISHED', 'CANCELED') AND expires_at <= millrace.clock())
      OR (state = 'LOADING' AND touched_at < millrace.clock() - interval '1 day')
   LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
};

// $1 limit
const RUNNING_BATCHES: Statement = {
  name: 'documents_running_batches',
  text: `
UPDATE millrace.document_batches SET touched_at = millrace.clock() WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.document_batches
   WHERE state = 'RUNNING' AND touched_at < millrace.clock() - interval '1 minute'
   LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING seq, tenant`,
};

const AT_ONCE = 500;

export function createSweep(
  parts: ContentStore & { readonly upkeep: BatchUpkeep; readonly log: Log },
): Sweep {
  const { database, objects = null, upkeep, log } = parts;

  async function files(): Promise<{ files: number; outputs: number; contents: number }> {
    return database.transaction(async (session) => {
      const gone = await session.query<{ content: number }>(EXPIRED_FILES, [AT_ONCE]);
      const outputs = await session.query<{ output: number; docx: number | null }>(
        EXPIRED_OUTPUTS,
        [AT_ONCE],
      );
      const contents = [
        ...gone.map(({ content }) => content),
        ...outputs.flatMap(({ output, docx }) => [output, docx]),
      ].filter((seq) => seq !== null);
      const removed = await removeUnused(session, [...new Set(contents)]);
      return { files: gone.length, outputs: outputs.length, contents: removed };
    });
  }

  async function leftovers(): Promise<number> {
    return database.transaction(async (session) => {
      const rows = await session.query<{ seq: number }>(OLD_CONTENTS, [0, AT_ONCE]);
      return removeUnused(
        session,
        rows.map(({ seq }) => seq),
      );
    });
  }

  /** A storage that is away must not keep the rest from being swept. */
  async function inStorage(): Promise<void> {
    try {
      await removeObjects(parts);
      await objects?.sweepUploads(Date.now());
    } catch (error) {
      log.warn({ error: String(error) }, 'Objects of documents could not be removed');
    }
  }

  /** A process may go away between the rows and the job: its key makes asking again harmless. */
  async function restore(): Promise<number> {
    const rows = await database.query<{ seq: number; tenant: string }>(RUNNING_BATCHES, [AT_ONCE]);
    for (const { seq, tenant } of rows) {
      const batch = await batchRows.get(database, seq, tenant);
      if (batch?.state !== 'RUNNING') continue;
      // An error of one batch must not keep the others from beginning.
      await upkeep.begin(batch).catch((error: unknown) => {
        log.error(
          { batch: batch.id, error: String(error) },
          'The job of a batch could not be made',
        );
      });
    }
    return rows.length;
  }

  return {
    async runOnce() {
      const swept = await files();
      const left = await leftovers();
      await inStorage();
      const batches = (await database.query(OLD_BATCHES, [20])).length;
      const checked = await restore();
      const result = {
        ...swept,
        contents: swept.contents + left,
        batches,
        checked,
        more: swept.files === AT_ONCE || swept.outputs === AT_ONCE || batches === 20,
      };
      if (result.files + result.contents + result.batches > 0)
        log.info(result, 'Removed documents whose time was over');
      return result;
    },
  };
}
