import { runJsonOf } from '@millrace/runs';
import { formOf, isoOrNull } from '@millrace/workload-kit';
import type { CatalogueView } from '../catalogue.ts';
import type { Pipeline as PipelineJson } from '../contract/catalogue.ts';
import type { PipelineRun, PipelineStep } from '../contract/runs.ts';
import { inWords } from '../definition/conditions.ts';
import type { PipelineDefinition } from '../definition/pipeline.ts';
import { type PlanStep, stepOf } from '../definition/plan.ts';
import type { PipelineRunRecord, StepRecord } from '../runs/pipeline-run.ts';
import { type Works, isHandOver } from '../step/work.ts';

/** A run as people see it: without the inputs of the steps, which may be long and is in the file. */
export function runJson(run: PipelineRunRecord, view: CatalogueView, works: Works): PipelineRun {
  const { pipeline, plan, schedule, steps } = run;
  const current = view.pipelines.get(pipeline);
  return {
    ...runJsonOf(run),
    pipeline,
    title: plan.title,
    parameters: Object.fromEntries(
      Object.entries(run.parameters).map(([name, value]) => [
        name,
        typeof value === 'string' || value === null ? value : [...value],
      ]),
    ),
    schedule,
    fileChanged: current !== undefined && current.digest !== run.digest,
    steps: steps.map((step) => stepJson(stepOf(plan, step.step), step, works)),
  };
}

function stepJson(node: PlanStep, record: StepRecord, works: Works): PipelineStep {
  const { state, progress, startedId, output, error, job } = record;
  const work = works(node.type);
  const link = work === undefined || isHandOver(work) ? undefined : work.link;
  return {
    ...outline(node),
    state,
    try: record.try,
    progress: state === 'running' ? progressJson(progress) : null,
    thing: startedId === null ? null : { id: startedId, link: link?.(startedId) ?? null },
    output: output === null ? null : { ...output },
    error,
    jobId: job,
    startedAt: isoOrNull(record.startedAt),
    finishedAt: isoOrNull(record.finishedAt),
  };
}

function progressJson(progress: StepRecord['progress']): PipelineStep['progress'] {
  if (progress === null) return null;
  const { done, total = null, note = null } = progress;
  return { done, total, note };
}

function outline({ name, title, type, after, when, onFailure }: PlanStep) {
  return {
    name,
    title,
    type,
    after: [...after],
    when: when.length === 0 ? null : when.map(inWords).join(' and '),
    onFailure,
  };
}

export function pipelineJson(
  { name, file, digest, value }: PipelineDefinition,
  { troubled }: CatalogueView,
  works: Works,
  now: number,
): PipelineJson {
  const { title, description, parameters, timeZone, steps, schedules } = value;
  return {
    name,
    title,
    description,
    file,
    parameters: formOf(parameters, { now, timeZone }).map((field) => ({
      ...field,
      choices: [...field.choices],
      default: copied(field.default),
      defaultNow: copied(field.defaultNow),
    })),
    steps: steps.map((step) => ({
      ...outline(step),
      available: works(step.type) !== undefined,
    })),
    schedules: schedules.map((schedule) => ({
      name: schedule.name,
      cron: schedule.cron,
      timeZone: schedule.timeZone,
      as: schedule.as,
    })),
    digest,
    problems: [...(troubled.find((each) => each.name === name)?.problems ?? [])],
  };
}

function copied(value: string | readonly string[] | null): string | string[] | null {
  return typeof value === 'string' || value === null ? value : [...value];
}
