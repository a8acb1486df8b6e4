import type { Clock, Queue, RunningJob } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import type { ReportJob } from '../job-data.ts';
import type { ResolvedParameters } from '../parameters/types.ts';
import { adopt } from './adopt.ts';
import { type RunRecord, seqOf } from './record.ts';
import { type RunFigures, type RunFile, runRows } from './records.ts';

/** The topic under which runs are announced. */
export const REPORT_TOPIC = 'report';

/** An execution, by what a job is given: later ones have greater epochs. */
export interface ExecutionOf {
  readonly id: string;
  readonly epoch: number;
}

/** Runs as their jobs write them. What gives null is of an execution that has lost its run to a later one, and changed nothing. */
export interface RunLog {
  /** At the beginning of an execution. `resumed`: it goes on from a saved chunk. */
  begin(
    execution: ExecutionOf,
    facts: {
      readonly job: RunningJob<ReportJob>;
      readonly title: string;
      readonly parameters: ResolvedParameters;
      readonly resumed: boolean;
    },
  ): Promise<RunRecord | null>;
  /** How far it is, after each saved chunk; written once a second at most. A write that fails is not worth a run. */
  progress(execution: ExecutionOf, figures: RunFigures): Promise<void>;
  /** Before the job ends as done. Null: somebody else has the run. */
  finish(execution: ExecutionOf, file: RunFile): Promise<RunRecord | null>;
  /** The submitter's token, encrypted; null: there is none, its time is over, or the run is. */
  token(id: string): Promise<string | null>;
  /** As soon as nobody needs it any more; the end of the job forgets it too. */
  forgetToken(id: string): Promise<void>;
}

const PROGRESS_EVERY_MS = 1_000;

export function createRunLog(parts: {
  database: Database;
  queue: Pick<Queue, 'get'>;
  live: Live;
  clock: Clock;
}): RunLog {
  const { database, queue, live, clock } = parts;
  const written = new Map<string, number>();

  async function announced(change: Promise<RunRecord | null>): Promise<RunRecord | null> {
    const run = await change;
    if (run !== null) live.announce(REPORT_TOPIC, run.id);
    return run;
  }

  return {
    async begin({ id, epoch }, { title, parameters, resumed }) {
      const seq = requireSeq(id);
      if ((await runRows.missing(database, [seq])).length > 0) {
        // Of a schedule or a rule: nobody has made its row yet.
        const job = await queue.get(id);
        if (job !== null) await adopt(database, job);
      }
      return announced(runRows.begin(database, seq, epoch, { title, parameters, resumed }));
    },
    async progress({ id, epoch }, figures) {
      const now = clock.now();
      if (now - (written.get(id) ?? -Infinity) < PROGRESS_EVERY_MS) return;
      written.set(id, now);
      await announced(runRows.progress(database, requireSeq(id), epoch, figures)).catch(() => null);
    },
    async finish({ id, epoch }, file) {
      written.delete(id);
      return announced(runRows.finish(database, requireSeq(id), epoch, file));
    },
    token: async (id) => runRows.token(database, requireSeq(id)),
    forgetToken: async (id) => runRows.forgetToken(database, requireSeq(id)),
  };
}

function requireSeq(id: string): number {
  const seq = seqOf(id);
  if (seq === null) throw new Error(`"${id}" is no id of a job in the main store.`);
  return seq;
}
