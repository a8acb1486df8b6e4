import type { Database, Session } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import { runStateOf } from '../definition/graph.ts';
import { seqOf } from '../ids.ts';
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
import { type Inserted, type NewRunRecord, insertRun } from './insert.ts';
import { type RunFilter, listRuns } from './list.ts';
import type { RunRecord, StepRecord, WholeRun } from './record.ts';
import { rows } from './statements.ts';

/** The topic under which runs are announced. */
export const PIPELINE_TOPIC = 'pipeline';

/** Runs as jobs and people write them, each change under the run's lock. */
export interface RunStore {
  insert(run: NewRunRecord): Promise<Inserted>;
  remove(run: RunRecord): Promise<void>;
  find(id: string): Promise<WholeRun | null>;
  byIds(ids: readonly string[]): Promise<WholeRun[]>;
  list(filter: RunFilter, below: number, limit: number): Promise<WholeRun[]>;
  /** The right of an execution to a step, and the run as it is then. Null: there is no such run. */
  take(
    id: string,
    holder: Holder,
  ): Promise<{ readonly taken: Taken; readonly whole: WholeRun } | null>;
  /** Null: the step is no longer the execution's. */
  write(id: string, holder: Holder, patch: Patch): Promise<WholeRun | null>;
  /** Null: it is over already. */
  cancel(id: string): Promise<WholeRun | null>;
  /** Null: it is neither failed nor cancelled. `next`: with what the file says now. */
  resume(id: string, next?: NextPlan): Promise<WholeRun | null>;
  endByJob(
    id: string,
    step: string,
    job: Parameters<typeof endByJob>[2] & { readonly revision: number },
  ): Promise<void>;
  /** What the step had begun is cancelled. */
  stopped(id: string, step: string): Promise<void>;
  /** The job of a step is gone: the next one may take it. */
  letGo(id: string, step: string, job: string): Promise<WholeRun | null>;
}

/** `at`: the database's clock. */
export type Patch = (at: number) => Partial<Omit<StepRecord, 'step'>>;

export type NextPlan = Pick<RunRecord, 'digest' | 'plan' | 'parameters' | 'values'> & {
  readonly keepFiles: (session: Session, seq: number) => Promise<void>;
};

export function createRunStore(parts: { database: Database; live: Live }): RunStore {
  const { database, live } = parts;

  /** Gives null where there is no such run, or where `decide` does. */
  async function change<T>(
    id: string,
    decide: (whole: WholeRun, session: Session) => Promise<Decided<T> | null> | Decided<T> | null,
  ): Promise<{ readonly whole: WholeRun; readonly gives: T } | null> {
    const seq = seqOf(id);
    if (seq === null) return null;
    const changed = await database.transaction(async (session) => {
      const whole = await rows.lock(session, seq);
      const decided = whole === null ? null : await decide(whole, session);
      if (whole === null || decided === null) return null;
      const next = decided.from ?? whole;
      if (decided.patches.length === 0) return { whole: next, gives: decided.gives, isNews: false };
      const after = patched(next, decided.patches);
      for (const { step } of decided.patches) {
        const written = after.steps.find((each) => each.step === step);
        if (written !== undefined) await rows.writeStep(session, after.run, written);
      }
      const { state, finishedAt } = after.run;
      await rows.writeRun(session, seq, state, finishedAt);
      return { whole: after, gives: decided.gives, isNews: true };
    });
    if (changed?.isNews === true) live.announce(PIPELINE_TOPIC, id);
    return changed;
  }

  return {
    async insert(run) {
      const inserted = await insertRun(database, run);
      if (inserted.created) live.announce(PIPELINE_TOPIC, inserted.whole.run.id);
      return inserted;
    },
    remove: ({ seq }) => rows.remove(database, seq),
    async find(id) {
      const seq = seqOf(id);
      const [found] = seq === null ? [] : await rows.wholes(database, [seq]);
      return found ?? null;
    },
    byIds: (ids) =>
      rows.wholes(
        database,
        ids.map(seqOf).filter((seq) => seq !== null),
      ),
    list: (filter, below, limit) => listRuns(database, filter, below, limit),
    async take(id, holder) {
      const changed = await change(id, (whole) => {
        const taken = take(whole, holder);
        return { gives: taken, patches: 'patch' in taken ? [taken.patch] : [] };
      });
      return changed && { taken: changed.gives, whole: changed.whole };
    },
    async write(id, holder, patch) {
      const changed = await change(id, (whole) =>
        isHeld(whole, holder)
          ? { gives: null, patches: [{ ...patch(whole.run.readAt), step: holder.step }] }
          : null,
      );
      return changed?.whole ?? null;
    },
    async cancel(id) {
      const changed = await change(id, (whole) =>
        whole.run.state === 'running' ? { gives: null, patches: cancel(whole) } : null,
      );
      return changed?.whole ?? null;
    },
    async resume(id, next) {
      const changed = await change(id, async (whole, session) => {
        const { run } = whole;
        if (run.state !== 'failed' && run.state !== 'canceled') return null;
        const patches = resume(whole);
        await rows.newRevision(session, run.seq, passedOf(whole));
        if (next !== undefined) {
          await rows.newPlan(session, run.seq, next);
          await next.keepFiles(session, run.seq);
        }
        const from = (await rows.lock(session, run.seq)) ?? whole;
        const kept = new Set(from.steps.map(({ step }) => step));
        return { gives: null, from, patches: patches.filter(({ step }) => kept.has(step)) };
      });
      return changed?.whole ?? null;
    },
    async endByJob(id, step, job) {
      await change(id, (whole) =>
        whole.run.revision === job.revision
          ? { gives: null, patches: endByJob(whole, step, job) }
          : null,
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
      return changed?.whole ?? null;
    },
  };
}

interface Decided<T> {
  readonly gives: T;
  readonly patches: readonly StepPatch[];
  /** The run as it has become meanwhile, in the same transaction. */
  readonly from?: WholeRun;
}

/** With the steps as they are to be, and what the run is by them. */
function patched({ run, steps }: WholeRun, patches: readonly StepPatch[]): WholeRun {
  const after = steps.map((step) => ({
    ...step,
    ...patches.find((patch) => patch.step === step.step),
  }));
  const state = runStateOf(run.plan, statesOf({ steps: after }));
  const finishedAt = state === 'running' ? null : (run.finishedAt ?? run.readAt);
  return { run: { ...run, state, finishedAt }, steps: after };
}
