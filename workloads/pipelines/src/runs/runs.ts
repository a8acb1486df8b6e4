import type { Duration } from '@millrace/engine';
import { type RunFilter, isOver, runKeyOf } from '@millrace/runs';
import type { Database } from '@millrace/store-postgres';
import {
  type GivenParameters,
  type Moment,
  type Page,
  type PageParams,
  givenFromJson,
  resolveParameters,
} from '@millrace/workload-kit';
import { type Catalogue, definitionOf } from '../catalogue.ts';
import { checkInputs } from '../definition/inputs.ts';
import type { Pipeline } from '../definition/pipeline.ts';
import type { Plan } from '../definition/plan.ts';
import { valuesOf } from '../definition/values.ts';
import { PipelineError } from '../errors.ts';
import type { StopWork } from '../step/stop.ts';
import type { Works } from '../step/work.ts';
import { passedOf } from './changes.ts';
import type { StepJobs } from './jobs.ts';
import { type PipelineRunRecord, pipelineRuns } from './pipeline-run.ts';
import type { RunStore } from './store.ts';
import type { NextPlan } from './write.ts';

export interface PipelineFilter extends RunFilter {
  readonly pipeline?: string | undefined;
}

export interface NewRun {
  readonly pipeline: string;
  /** As somebody gave them. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly tenant: string;
  readonly submitter: string | null;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** The same key of the same submitter makes one run, while it lives and `keyWindow` (24 h) after it went well. */
  readonly key?: string | undefined;
  readonly keyWindow?: Duration | undefined;
  readonly schedule?: string | undefined;
  /** What words such as `last month` are counted from, ms since 1970; now unless given. */
  readonly at?: number | undefined;
  /** Where they are counted; the pipeline's unless given. */
  readonly timeZone?: string | undefined;
}

/** What people do with runs. Whose they are is for within.ts to say. */
export interface Runs {
  submit(run: NewRun): Promise<PipelineRunRecord>;
  find(id: string): Promise<PipelineRunRecord | null>;
  byIds(ids: readonly string[]): Promise<PipelineRunRecord[]>;
  /** Newest first. */
  list(params?: PageParams & PipelineFilter): Promise<Page<PipelineRunRecord>>;
  cancel(id: string): Promise<PipelineRunRecord>;
  /** `withFile`: by what the file says now, where that fits what is over already. */
  resume(id: string, options?: { readonly withFile?: boolean }): Promise<PipelineRunRecord>;
}

export function createRuns(parts: {
  database: Database;
  store: RunStore;
  jobs: StepJobs;
  catalogue: Pick<Catalogue, 'now' | 'filesOf'>;
  works: Works;
  stopWork: StopWork;
  now: () => number;
}): Runs {
  const { database, store, jobs, catalogue, works, stopWork, now } = parts;

  async function get(id: string): Promise<PipelineRunRecord> {
    const found = await store.find(id);
    if (found === null) throw noRun(id);
    return found;
  }

  /** What the file says now, for a run that is to go on with it. */
  async function nextPlan(run: PipelineRunRecord): Promise<NextPlan> {
    const { value, digest } = definitionOf(catalogue.now(), run.pipeline);
    const plan = planOf(value);
    const changed = passedOf(run).find(
      (name) => JSON.stringify(stepIn(plan, name)) !== JSON.stringify(stepIn(run.plan, name)),
    );
    if (changed !== undefined)
      throw new PipelineError(
        'pipeline_changed',
        `The step "${changed}" of ${run.id} is over, and the file says something else about it now. Resume without the file, or begin a new run.`,
      );
    requireWorks(plan, works);
    const kept = Object.entries(run.parameters).filter(([name]) =>
      value.parameters.some((parameter) => parameter.name === name),
    );
    const resolved = resolvedOf(value, Object.fromEntries(kept), {
      now: run.createdAt,
      timeZone: value.timeZone,
    });
    return { digest, plan, ...resolved, files: await catalogue.filesOf(plan) };
  }

  return {
    async submit(asked) {
      const { value, digest } = definitionOf(catalogue.now(), asked.pipeline);
      const plan = planOf(value);
      requireWorks(plan, works);
      const given = givenFromJson(value.parameters, asked.parameters);
      if ('problems' in given) throw wrongParameters(given.problems);
      const { tenant, submitter, roles, claims, key, keyWindow } = asked;
      const inserted = await store.insert(
        {
          tenant,
          submitter,
          roles,
          claims,
          pipeline: value.name,
          digest,
          plan,
          ...resolvedOf(value, given.given, {
            now: asked.at ?? now(),
            timeZone: asked.timeZone ?? value.timeZone,
          }),
          schedule: asked.schedule ?? null,
          key: runKeyOf(key, keyWindow),
          files: await catalogue.filesOf(plan),
        },
        jobs.begin,
      );
      return inserted.run;
    },
    find: store.find,
    byIds: (ids) => pipelineRuns.byIds(database, ids),
    list: ({ pipeline, ...params } = {}) =>
      pipelineRuns.list(database, params, (where) => where.equal('pipeline', pipeline)),
    async cancel(id) {
      const canceled = await store.cancel(id);
      if (canceled === null) {
        const { state } = await get(id);
        throw new PipelineError(
          'pipeline_run_finished',
          `The run ${id} is over (${state}); there is nothing to cancel.`,
        );
      }
      // What is not cancelled because the process ends here, upkeep cancels.
      await jobs.cancel(canceled);
      await stopWork(canceled);
      return get(id);
    },
    async resume(id, { withFile = false } = {}) {
      const before = await get(id);
      // What is begun again under the same name must not meet what is still being cancelled.
      await stopWork(before);
      const next = withFile ? await nextPlan(before) : undefined;
      const resumed = await store.resume(id, next);
      if (resumed === null) throw notResumable(await get(id));
      await jobs.restore(resumed);
      return get(id);
    },
  };
}

/** What is kept with a run: nothing that only the folder needs. */
function planOf({ title, description, steps }: Pipeline): Plan {
  return { title, description, steps };
}

/** Without what is for people alone. */
function stepIn(plan: Plan, name: string): object | null {
  const step = plan.steps.find((each) => each.name === name);
  return step === undefined ? null : { ...step, title: '' };
}

function resolvedOf(
  { parameters }: Pipeline,
  given: GivenParameters,
  moment: Moment,
): Pick<PipelineRunRecord, 'parameters' | 'values'> {
  const resolved = resolveParameters(parameters, given, moment);
  if ('problems' in resolved) throw wrongParameters(resolved.problems);
  return { parameters: resolved.values, values: valuesOf(parameters, resolved.values) };
}

/** Refused before it begins, and not after the first steps have worked for an hour. */
function requireWorks(plan: Plan, works: Works): void {
  const lacking = plan.steps.find(({ type }) => works(type) === undefined);
  if (lacking !== undefined)
    throw new PipelineError(
      'pipeline_unavailable',
      `The step "${lacking.name}" needs "${lacking.type}", which this service does not do.`,
    );
  const [complaint] = checkInputs(plan, works);
  if (complaint !== undefined)
    throw new PipelineError(
      'pipeline_invalid',
      `${complaint.path.join('.')}: ${complaint.message}`,
    );
}

function wrongParameters(
  problems: readonly { readonly parameter: string; readonly message: string }[],
): PipelineError {
  const sentences = problems.map(({ parameter, message }) => `${parameter}: ${message}`);
  return new PipelineError('invalid_pipeline_parameters', sentences.join(' '), {
    issues: problems.map(({ parameter, message }) => ({
      path: `parameters.${parameter}`,
      message,
    })),
  });
}

export function noRun(id: string): PipelineError {
  return new PipelineError('pipeline_run_not_found', `There is no run "${id}".`);
}

function notResumable(run: PipelineRunRecord): PipelineError {
  const why = isOver(run) ? 'has succeeded' : 'still runs';
  return new PipelineError(
    'pipeline_run_not_resumable',
    `The run ${run.id} ${why}; there is nothing to resume.`,
  );
}
