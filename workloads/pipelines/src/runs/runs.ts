import { type Duration, toMs } from '@millrace/engine';
import {
  type GivenParameters,
  type Moment,
  type Page,
  type PageParams,
  givenFromJson,
  numberCursor,
  page,
  pageLimit,
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
import { keepFiles } from './files.ts';
import type { RunFilter } from './list.ts';
import type { StepJobs } from './jobs.ts';
import type { RunRecord, WholeRun } from './record.ts';
import type { NextPlan, RunStore } from './store.ts';

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
  submit(run: NewRun): Promise<WholeRun>;
  find(id: string): Promise<WholeRun | null>;
  byIds(ids: readonly string[]): Promise<WholeRun[]>;
  /** Newest first. */
  list(params?: PageParams & RunFilter): Promise<Page<WholeRun>>;
  cancel(id: string): Promise<WholeRun>;
  /** `withFile`: by what the file says now, where that fits what is over already. */
  resume(id: string, options?: { readonly withFile?: boolean }): Promise<WholeRun>;
}

export function createRuns(parts: {
  store: RunStore;
  jobs: StepJobs;
  catalogue: Pick<Catalogue, 'now' | 'filesOf'>;
  works: Works;
  stopWork: StopWork;
  now: () => number;
}): Runs {
  const { store, jobs, catalogue, works, stopWork, now } = parts;

  async function get(id: string): Promise<WholeRun> {
    const found = await store.find(id);
    if (found === null) throw noRun(id);
    return found;
  }

  /** What the file says now, for a run that is to go on with it. */
  async function nextPlan(whole: WholeRun): Promise<NextPlan> {
    const { run } = whole;
    const { value, digest } = definitionOf(catalogue.now(), run.pipeline);
    const plan = planOf(value);
    const changed = passedOf(whole).find(
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
    const files = await catalogue.filesOf(plan);
    return {
      digest,
      plan,
      ...resolved,
      keepFiles: (session, seq) => keepFiles(session, seq, files),
    };
  }

  return {
    async submit(asked) {
      const { value, digest } = definitionOf(catalogue.now(), asked.pipeline);
      const plan = planOf(value);
      requireWorks(plan, works);
      const given = givenFromJson(value.parameters, asked.parameters);
      if ('problems' in given) throw wrongParameters(given.problems);
      const { tenant, submitter, roles, claims, key, keyWindow } = asked;
      const { whole, created } = await store.insert({
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
        key: key === undefined ? null : { value: key, windowMs: windowOf(keyWindow) },
        files: await catalogue.filesOf(plan),
      });
      // Whoever made it has made its jobs, or upkeep will.
      if (!created) return whole;
      try {
        await jobs.begin(whole);
      } catch (error) {
        // Whoever asked is told that it did not begin, and so it must not begin later.
        await store.remove(whole.run).catch(() => {});
        throw error;
      }
      return whole;
    },
    find: store.find,
    byIds: store.byIds,
    async list({ limit: asked, cursor, ...filter } = {}) {
      const limit = pageLimit({ limit: asked });
      const below = numberCursor({ cursor }, Number.MAX_SAFE_INTEGER);
      const found = await store.list(filter, below, limit + 1);
      return page(found, limit, ({ run }) => String(run.seq));
    },
    async cancel(id) {
      const canceled = await store.cancel(id);
      if (canceled === null) {
        const { run } = await get(id);
        throw new PipelineError(
          'pipeline_run_finished',
          `The run ${id} is over (${run.state}); there is nothing to cancel.`,
        );
      }
      // What is not cancelled because the process ends here, upkeep cancels.
      await jobs.cancel(canceled.run);
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
): Pick<RunRecord, 'parameters' | 'values'> {
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

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

function windowOf(keyWindow: Duration = '24h'): number {
  const windowMs = toMs(keyWindow);
  if (windowMs >= 0 && windowMs <= TEN_YEARS_MS) return windowMs;
  throw new PipelineError('invalid_key', 'The keyWindow must be between 0 and ten years.');
}

export function noRun(id: string): PipelineError {
  return new PipelineError('pipeline_run_not_found', `There is no run "${id}".`);
}

function notResumable({ run }: WholeRun): PipelineError {
  const why = run.state === 'running' ? 'still runs' : 'has succeeded';
  return new PipelineError(
    'pipeline_run_not_resumable',
    `The run ${run.id} ${why}; there is nothing to resume.`,
  );
}
