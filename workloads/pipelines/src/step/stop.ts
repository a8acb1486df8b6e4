import type { Log } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import { withinTime } from '@millrace/workload-kit';
import { stepOf } from '../definition/plan.ts';
import { filesOf } from '../runs/files.ts';
import { type PipelineRunRecord, type StepRecord, whoOf } from '../runs/pipeline-run.ts';
import type { RunStore } from '../runs/store.ts';
import { inputOf } from './input.ts';
import { workKey } from './run-step.ts';
import { type Works, isHandOver } from './work.ts';

/** Cancels what the cancelled steps of a run have begun. What cannot be cancelled now is tried again by upkeep. */
export type StopWork = (run: PipelineRunRecord) => Promise<void>;

export function createStopWork(parts: {
  store: RunStore;
  database: Database;
  works: Works;
  log: Log;
}): StopWork {
  const { store, database, works, log } = parts;

  async function stop(run: PipelineRunRecord, record: StepRecord): Promise<void> {
    const node = stepOf(run.plan, record.step);
    const work = works(node.type);
    if (work !== undefined && !isHandOver(work)) {
      const who = whoOf(run);
      // It was about to be begun when its worker was lost: the same key finds what was, to be cancelled.
      const found =
        record.startedId ??
        (await withinTime(START_MS, undefined, async (signal) => {
          const input = inputOf(run, node, work, await filesOf(database, run));
          return (await work.start({ input, who, key: workKey(run.id, record), signal })).id;
        }));
      await work.cancel(found, who);
    }
    await store.stopped(run.id, record.step);
  }

  return async (run) => {
    for (const record of run.steps.filter(({ stopPending }) => stopPending))
      await stop(run, record).catch((err: unknown) => {
        log.warn(
          { err, run: run.id, step: record.step },
          'What a cancelled step has begun could not be cancelled yet',
        );
      });
  };
}

const START_MS = 60_000;
