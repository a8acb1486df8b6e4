import { INTERNAL_KEYS, type JobRequest, type Queue } from '@millrace/engine';
import { liveSteps } from '../definition/graph.ts';
import { STEP, type StepData, graphFrom, stepDataSchema } from '../step/data.ts';
import { statesOf } from './changes.ts';
import type { PipelineRunRecord, StepRecord } from './pipeline-run.ts';
import type { RunStore } from './store.ts';

/** The jobs of a run: one for each step that lives. Most are made by the rule that follows steps (step/follow.ts). */
export interface StepJobs {
  /** Of a run that nobody works on yet: the jobs of its first steps. */
  begin(run: PipelineRunRecord): Promise<void>;
  /** Makes those that are missing, and ends steps whose job has ended without them. How many were put right. */
  restore(run: PipelineRunRecord): Promise<number>;
  /** Of those that wait or run. */
  cancel(run: PipelineRunRecord): Promise<void>;
}

/** More steps than a plan may have. */
const MOST_JOBS = 200;

export function createStepJobs(parts: {
  queue: Pick<Queue, 'enqueueAll' | 'list' | 'get' | 'cancelWhere'>;
  store: RunStore;
}): StepJobs {
  const { queue, store } = parts;

  async function make(run: PipelineRunRecord, steps: readonly string[]): Promise<number> {
    if (steps.length === 0) return 0;
    const made = await queue.enqueueAll(steps.map((step) => jobOf(run, step)));
    return made.filter(({ created }) => created).length;
  }

  /** The steps whose jobs live, also of those that no execution has begun yet. */
  async function stepsWithJob(run: PipelineRunRecord): Promise<Set<string>> {
    const found = new Set<string>();
    for (const state of ['QUEUED', 'PROCESSING'] as const) {
      const filter = { kind: STEP, correlationId: run.id, tenant: run.tenant, state };
      const { jobs } = await queue.list({ filter, limit: MOST_JOBS });
      for (const { id } of jobs) {
        const job = await queue.get(id);
        const { data } = stepDataSchema.safeParse(JSON.parse(job?.payload ?? 'null'));
        if (data?.revision === run.revision) found.add(data.step);
      }
    }
    return found;
  }

  /** A step whose job is not among those that live. True: it needs another one. */
  async function needsJob(run: PipelineRunRecord, step: StepRecord): Promise<boolean> {
    if (step.job === null) return true;
    const job = await queue.get(step.job);
    if (job?.state === 'QUEUED' || job?.state === 'PROCESSING') return false;
    if (job?.state === 'FAILED' || job?.state === 'CANCELED') {
      const { id, state, error } = job;
      await store.endByJob(run.id, step.step, { id, state, error, revision: run.revision });
      return false;
    }
    return (await store.letGo(run.id, step.step, step.job)) !== null;
  }

  return {
    async begin(run) {
      const live = liveSteps(run.plan, statesOf(run));
      await make(
        run,
        live.map(({ name }) => name),
      );
    },
    async restore(run) {
      const live = liveSteps(run.plan, statesOf(run)).map(({ name }) => name);
      const there = await stepsWithJob(run);
      const missing = run.steps.filter(({ step }) => live.includes(step) && !there.has(step));
      const needy: string[] = [];
      for (const step of missing) if (await needsJob(run, step)) needy.push(step.step);
      await make(run, needy);
      return missing.length;
    },
    async cancel({ id, tenant }) {
      await queue.cancelWhere({ kind: STEP, correlationId: id, tenant });
    },
  };
}

function jobOf(run: PipelineRunRecord, step: string): JobRequest {
  const { id, revision, tenant, submitter, plan, passed } = run;
  const data: StepData = {
    run: id,
    revision,
    step,
    graph: graphFrom(plan, step, new Set(passed)),
    looks: 0,
    of: 0,
  };
  return {
    kind: STEP,
    data,
    key: `${INTERNAL_KEYS}${id}/${revision}/${step}`,
    // One that has ended gives its key up at once: it is asked for again only where the step still lives.
    keyWindow: 0,
    tenant,
    correlationId: id,
    ...(submitter !== null && { submitter }),
  };
}
