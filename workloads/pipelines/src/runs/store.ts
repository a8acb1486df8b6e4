import { type Inserted, type RunKey, isOver } from '@millrace/runs';
import type { Database, Session } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import { passes, runStateOf } from '../definition/graph.ts';
import { stepOf } from '../definition/plan.ts';
import {
  type Holder,
  type StepPatch,
  type Taken,
  cancel,
  endByJob,
  isHeld,
  passedOf,
  resume,
  statesOf,
  take,
} from './changes.ts';
import {
  type PipelineRunRecord,
  type StepRecord,
  pipelineIds,
  pipelineRuns,
} from './pipeline-run.ts';
import { type NewPipelineRun, type NextPlan, rows } from './write.ts';

/** The topic under which runs are announced. */
export const PIPELINE_TOPIC = 'pipeline';

/** Runs as jobs and people write them, each change under the run's lock. */
export interface RunStore {
  insert(
    run: NewPipelineRun & { readonly key: RunKey | null },
    begin: (run: PipelineRunRecord) => Promise<void>,
  ): Promise<Inserted<PipelineRunRecord>>;
  find(id: string): Promise<PipelineRunRecord | null>;
  /** The right of an execution to a step, and the run as it is then. Null: there is no such run. */
  take(
    id: string,
    holder: Holder,
  ): Promise<{ readonly taken: Taken; readonly run: PipelineRunRecord } | null>;
  /** Null: the step is no longer the execution's. */
  write(id: string, holder: Holder, patch: Patch): Promise<PipelineRunRecord | null>;
  /** Null: it is over already. */
  cancel(id: string): Promise<PipelineRunRecord | null>;
  /** Null: it is neither failed nor cancelled. `next`: with what the file says now. */
  resume(id: string, next?: NextPlan): Promise<PipelineRunRecord | null>;
  endByJob(
    id: string,
    step: string,
    job: Parameters<typeof endByJob>[2] & { readonly revision: number },
  ): Promise<void>;
  /** What the step had begun is cancelled. */
  stopped(id: string, step: string): Promise<void>;
  /** The job of a step is gone: the next one may take it. */
  letGo(id: string, step: string, job: string): Promise<PipelineRunRecord | null>;
}

/** `at`: the database's clock. */
export type Patch = (at: number) => Partial<Omit<StepRecord, 'step'>>;

export function createRunStore(parts: { database: Database; live: Live }): RunStore {
  const { database, live } = parts;

  /** Gives null where there is no such run, or where `decide` does. */
  async function change<T>(
    id: string,
    decide: (
      run: PipelineRunRecord,
      session: Session,
    ) => Promise<Decided<T> | null> | Decided<T> | null,
  ): Promise<{ readonly run: PipelineRunRecord; readonly gives: T } | null> {
    const seq = pipelineIds.seqOf(id);
    if (seq === null) return null;
    const changed = await database.transaction(async (session) => {
      const run = await rows.lock(session, seq);
      const decided = run === null ? null : await decide(run, session);
      if (run === null || decided === null) return null;
      const next = decided.from ?? run;
      if (decided.patches.length === 0) return { run: next, gives: decided.gives, isNews: false };
      const after = patched(next, decided.patches);
      for (const { step } of decided.patches) {
        const written = after.steps.find((each) => each.step === step);
        if (written !== undefined) await rows.writeStep(session, after, written);
      }
      await rows.writeRun(session, after);
      return { run: after, gives: decided.gives, isNews: true };
    });
    if (changed?.isNews === true) live.announce(PIPELINE_TOPIC, id);
    return changed;
  }

  return {
    async insert(run, begin) {
      const key = run.key?.value ?? null;
      return pipelineRuns.insert(database, run, {
        add: () => database.transaction((session) => rows.add(session, run, key)),
        async begin(made) {
          live.announce(PIPELINE_TOPIC, made.id);
          await begin(made);
        },
      });
    },
    find: (id) => pipelineRuns.find(database, id),
    async take(id, holder) {
      const changed = await change(id, (run) => {
        const taken = take(run, holder);
        return { gives: taken, patches: 'patch' in taken ? [taken.patch] : [] };
      });
      return changed && { taken: changed.gives, run: changed.run };
    },
    async write(id, holder, patch) {
      const changed = await change(id, (run) =>
        isHeld(run, holder)
          ? { gives: null, patches: [{ ...patch(run.readAt), step: holder.step }] }
          : null,
      );
      return changed?.run ?? null;
    },
    async cancel(id) {
      const changed = await change(id, (run) =>
        isOver(run) ? null : { gives: null, patches: cancel(run) },
      );
      return changed?.run ?? null;
    },
    async resume(id, next) {
      const changed = await change(id, async (run, session) => {
        if (run.state !== 'FAILED' && run.state !== 'CANCELED') return null;
        const patches = resume(run);
        await rows.newRevision(session, run.seq, passedOf(run));
        if (next !== undefined) await rows.newPlan(session, run.seq, next);
        const from = (await rows.lock(session, run.seq)) ?? run;
        const kept = new Set(from.steps.map(({ step }) => step));
        return { gives: null, from, patches: patches.filter(({ step }) => kept.has(step)) };
      });
      return changed?.run ?? null;
    },
    async endByJob(id, step, job) {
      await change(id, (run) =>
        run.revision === job.revision ? { gives: null, patches: endByJob(run, step, job) } : null,
      );
    },
    async stopped(id, step) {
      await change(id, () => ({ gives: null, patches: [{ step, stopPending: false }] }));
    },
    async letGo(id, step, job) {
      const changed = await change(id, ({ steps }) =>
        steps.some((each) => each.step === step && each.job === job)
          ? { gives: null, patches: [{ step, job: null, epoch: 0 }] }
          : null,
      );
      return changed?.run ?? null;
    },
  };
}

interface Decided<T> {
  readonly gives: T;
  readonly patches: readonly StepPatch[];
  /** The run as it has become meanwhile, in the same transaction. */
  readonly from?: PipelineRunRecord;
}

/** With the steps as they are to be, and what the run is by them. */
function patched(run: PipelineRunRecord, patches: readonly StepPatch[]): PipelineRunRecord {
  const steps = run.steps.map((step) => ({
    ...step,
    ...patches.find((patch) => patch.step === step.step),
  }));
  const state = runStateOf(run.plan, statesOf({ steps }));
  const broken = steps.find(
    (step) => step.state === 'failed' && !passes(stepOf(run.plan, step.step), step.state),
  );
  const begun = steps.find(({ startedAt }) => startedAt !== null);
  return {
    ...run,
    steps,
    state,
    error: state === 'FAILED' ? (broken?.error ?? null) : null,
    startedAt: run.startedAt ?? begun?.startedAt ?? null,
    finishedAt: isOver({ state }) ? (run.finishedAt ?? run.readAt) : null,
  };
}
