import type { Clock, Log, Queue } from '@millrace/engine';
import { type Database, type Migrations, migrate } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import { type KeptDefinitions, createDefinitions } from './definitions.ts';
import { type Erase, createErase } from './erase.ts';
import { type RunLog, createRunLog } from './log.ts';
import type { RunRecord } from './record.ts';
import { runRows } from './records.ts';
import { type Runs, createRuns } from './runs.ts';
import { type Sweep, createSweep } from './sweep.ts';
import { type Upkeep, createUpkeep } from './upkeep.ts';
import { type WatchRun, createWatch } from './watch.ts';

/** Runs on a database: what people do with them, what their jobs write, and what keeps them in order. */
export interface RunRoom {
  readonly runs: Runs;
  readonly log: RunLog;
  readonly definitions: KeptDefinitions;
  readonly watch: WatchRun;
  readonly upkeep: Upkeep;
  readonly sweep: Sweep;
  readonly erase: Erase;
  /** The file of a run was removed by hand. */
  fileGone(run: Pick<RunRecord, 'seq'>): Promise<void>;
}

export interface RunRoomParams {
  readonly database: Database;
  readonly queue: Queue;
  readonly live: Live;
  readonly clock: Clock;
  readonly log: Log;
  readonly removeFile: (file: unknown) => Promise<void>;
  readonly onEnded: (run: RunRecord) => void;
  readonly onRemoved: (why: 'expired' | 'erased') => void;
  readonly keepRunsMs: number;
}

export const MIGRATIONS: Migrations = {
  owner: 'reports',
  folder: new URL('../../migrations/', import.meta.url),
};

/** Sets up or updates its own tables. */
export async function openRuns(params: RunRoomParams): Promise<RunRoom> {
  const { database, queue, live, clock } = params;
  await migrate(database, MIGRATIONS);
  const definitions = createDefinitions({ database });
  const runs = createRuns({ database, queue, definitions, live });
  return {
    runs,
    log: createRunLog({ database, queue, live, clock }),
    definitions,
    watch: createWatch({ runs, live, clock }),
    upkeep: createUpkeep({ database, queue, live, onEnded: params.onEnded }),
    sweep: createSweep(params),
    erase: createErase({ database, queue }),
    async fileGone({ seq }) {
      await runRows.fileGone(database, seq);
    },
  };
}
