import type { GivenValue } from '@millrace/workload-kit';
import { z } from 'zod';
import { ON_FAILURE, type Plan } from '../definition/plan.ts';

/** The kind of job that carries a step of a run from its beginning to its end. */
export const STEP = 'pipeline.step';

/** The kind of job that a schedule makes: it submits a run. */
export const START = 'pipeline.start';

const node = z.strictObject({
  after: z.array(z.string()),
  onFailure: z.enum(ON_FAILURE),
});

/**
 * What the job of a step is given. `graph` has what follows, so that what a step's end makes depends on nothing but the job: neither
 * on files, which may have changed, nor on what this replica has read.
 */
export const stepDataSchema = z.strictObject({
  run: z.string(),
  /** Counted up by each resume: what belongs to an earlier one changes nothing. */
  revision: z.number().int().min(1),
  step: z.string(),
  /** The steps from this one on, by name. What was over when the revision began is in no `after`. */
  graph: z.record(z.string(), node),
  /** How often it has looked, since it began. */
  looks: z.number().int().min(0).default(0),
  /** The try of the step that `looks` is of. */
  of: z.number().int().min(0).default(0),
});
export type StepData = z.infer<typeof stepDataSchema>;
export type Graph = StepData['graph'];

const given: z.ZodType<GivenValue> = z.union([z.string(), z.array(z.string()), z.null()]);

export const startDataSchema = z.strictObject({
  pipeline: z.string(),
  /** As the file gives them: words such as `last month` mean the month before `at`. */
  parameters: z.record(z.string(), given),
  schedule: z.string(),
  /** The tick that it is for; left out: when the job was made. Milliseconds since 1970. */
  at: z.number().optional(),
  /** Of the schedule: words mean a day there. Left out: the pipeline's. */
  timeZone: z.string().optional(),
  /** The service identity that the run works as. */
  as: z.string(),
});
export type StartData = z.infer<typeof startDataSchema>;

/** What a step's job leaves for the rule that makes the next. */
export const stepResultSchema = z.strictObject({
  /** Null: another job has the step, or the run is over; nothing follows. */
  end: z.enum(['done', 'skipped']).nullable(),
});
export type StepResult = z.infer<typeof stepResultSchema>;

/** The part of a plan that a step's job carries. `passed`: steps that were over when the revision began. */
export function graphFrom(
  plan: Pick<Plan, 'steps'>,
  start: string,
  passed: ReadonlySet<string>,
): Graph {
  const graph: Graph = {};
  const add = (name: string): void => {
    const step = plan.steps.find((each) => each.name === name);
    if (step === undefined || name in graph) return;
    graph[name] = {
      after: step.after.filter((each) => !passed.has(each)),
      onFailure: step.onFailure,
    };
    for (const other of plan.steps) if (other.after.includes(name)) add(other.name);
  };
  add(start);
  return graph;
}
