import type { Database, Statement } from '@millrace/store-postgres';
import { pipelineRuns } from '../runs/pipeline-run.ts';

export interface Swept {
  readonly runs: number;
  readonly files: number;
  readonly more: boolean;
}

/** Removes runs whose time is over, and files that no run has any more. */
export interface Sweep {
  runOnce(): Promise<Swept>;
}

// A run that is just being made names its files in the same transaction as it keeps them. $1 limit
const LOOSE_FILES: Statement = {
  name: 'pipelines_sweep_files',
  text: `
DELETE FROM millrace.pipeline_files WHERE sha256 = ANY (ARRAY(
  SELECT sha256 FROM millrace.pipeline_files f
   WHERE created_at < millrace.clock() - interval '1 hour'
     AND NOT EXISTS (SELECT FROM millrace.pipeline_run_files r WHERE r.sha256 = f.sha256)
   LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING sha256`,
};

const AT_ONCE = 500;

export function createSweep(parts: { database: Database; keepRunsMs: number }): Sweep {
  const { database, keepRunsMs } = parts;
  return {
    async runOnce() {
      const runs = await pipelineRuns.prune(database, keepRunsMs, AT_ONCE);
      const files = await database.query(LOOSE_FILES, [AT_ONCE]);
      return { runs, files: files.length, more: runs === AT_ONCE };
    },
  };
}
