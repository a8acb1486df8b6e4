import {
  type JobContext,
  JobFailure,
  type JobKind,
  type RetryPolicy,
  type Retention,
  defineJob,
  done,
} from '@millrace/engine';
import { PipelineError } from './errors.ts';
import type { Pipelines } from './pipelines.ts';
import { START, STEP, type StepData, startDataSchema, stepDataSchema } from './step/data.ts';
import { runStep } from './step/run-step.ts';

/** What a job leaves behind tells little: the run has it all. A failed one is needed no longer than until its run is resumed. */
const KEEP: Retention = { succeeded: '24h', failed: '30d', canceled: '7d' };

/** A receiver or a workload that is away for half an hour is waited for. */
const RETRY: RetryPolicy = {
  backoff: 'exponential',
  retries: 20,
  base: '2s',
  max: '2m',
  jitter: 0.2,
};

/** Neither is public: runs are made by POST /pipelines/NAME/runs, or by a schedule. */
export function pipelineKinds(): JobKind<unknown, Pipelines>[] {
  const step = defineJob({
    kind: STEP,
    input: stepDataSchema,
    retry: RETRY,
    // A look takes no time; a batch of a hundred thousand rows is begun in minutes.
    timeout: '30m',
    retention: KEEP,
    run: (job, context, { workshop }: Pipelines) => runStep(workshop, job, context),
    cleanup: (job, context, pipelines: Pipelines) => endStep(pipelines, job, context),
  });
  const start = defineJob({
    kind: START,
    input: startDataSchema,
    retry: RETRY,
    timeout: '2m',
    retention: KEEP,
    async run({ id, data, tenant, createdAt }, _context, { runs, catalogue }: Pipelines) {
      const { pipeline, parameters, schedule, as } = data;
      const service = catalogue.now().services.get(as);
      if (service === undefined)
        throw new JobFailure('service_missing', `There is no service "${as}" in services.yaml.`);
      try {
        const run = await runs.submit({
          pipeline,
          parameters,
          tenant,
          submitter: `service:${as}`,
          roles: service.roles,
          claims: service.claims,
          schedule,
          // The same job again, after its worker was lost, finds the run that it has made.
          key: `schedule ${id}`,
          keyWindow: '7d',
          at: data.at ?? createdAt,
          timeZone: data.timeZone,
        });
        return done({ run: run.id });
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        // A file that another replica has read already, this one will have read in a moment.
        const retryable = error.code === 'pipeline_not_found';
        throw new JobFailure(error.code, error.message, { retryable, cause: error });
      }
    },
  });
  return [step, start] as JobKind<unknown, Pipelines>[];
}

/** The job has ended without its handler: lost with its worker, out of time, cancelled by hand. Its step ends with it. */
async function endStep(
  { store, stopWork }: Pipelines,
  { id, data }: { readonly id: string; readonly data: StepData },
  { get }: JobContext,
): Promise<void> {
  const job = await get(id);
  if (job === null || (job.state !== 'FAILED' && job.state !== 'CANCELED')) return;
  const { state, error } = job;
  const { run, step, revision } = data;
  await store.endByJob(run, step, { id, state, error, revision });
  const found = await store.find(run);
  if (found !== null) await stopWork(found);
}
