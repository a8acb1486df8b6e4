import { JobFailure } from '@millrace/engine';
import { COMPRESSIONS, TABLE_FORMATS } from '@millrace/tables';
import {
  type GivenParameters,
  ROLES,
  type RowsOf,
  type Step,
  type StepSight,
  type Who,
  givenFromJson,
  resolveParameters,
} from '@millrace/workload-kit';
import { z } from 'zod';
import { columnWords } from './catalogue/schema.ts';
import { tableDefinition } from './catalogue/table.ts';
import type { CatalogueView, ReportDefinition } from './catalogue/types.ts';
import { ReportError } from './errors.ts';
import { fileOf } from './file-of-run.ts';
import type { ReportJob } from './job-data.ts';
import type { Outputs } from './outputs/types.ts';
import { prepareReport } from './prepare.ts';
import type { Runs } from './runs/runs.ts';
import type { RunSight } from './runs/sight.ts';

const rowsOf: z.ZodType<RowsOf> = z.strictObject({ step: z.string(), id: z.string() });
const output = {
  format: z.enum(TABLE_FORMATS).optional(),
  compression: z.enum([...COMPRESSIONS, 'none']).optional(),
};

const VALUE = { error: 'write a text, a number, true or false, or a list of them.' };
const written = z.union([z.string(), z.number(), z.boolean()], VALUE);

/** Held against what columns may be, and kept as the file says them: the definition of the table reads them once more. */
const columnsAsWritten = z
  .custom<Readonly<Record<string, unknown>>>()
  .superRefine((given, context) => {
    const { error } = z.record(z.string(), columnWords).safeParse(given);
    for (const { path, message } of error?.issues ?? [])
      context.addIssue({ code: 'custom', path: [...path], message });
  });

/** A report of the catalogue under the claims of whoever runs the pipeline, or a table of the rows of an earlier step. */
const inputSchema = z.union(
  [
    z.strictObject({
      report: z.string(),
      // `${least}` alone keeps its type, so a number stands for its text as it does in a request.
      parameters: z
        .record(z.string(), z.union([written, z.array(written), z.null()], VALUE))
        .default({}),
      ...output,
    }),
    z.strictObject({
      rows: rowsOf,
      title: z.string(),
      columns: columnsAsWritten,
      file: z.string().default('table'),
      ...output,
    }),
  ],
  { error: 'Name a report, or give rows with title and columns.' },
);
type Input = z.output<typeof inputSchema>;

export function reportStep(parts: {
  readonly runs: Runs;
  readonly catalogue: () => CatalogueView;
  readonly outputs: Pick<Outputs, 'read'>;
  readonly now: () => number;
}): Step {
  const { runs, catalogue, outputs, now } = parts;

  /** A run of the same tenant: ids of another are of nobody here. */
  async function find(id: string, { tenant }: Who): Promise<RunSight> {
    const run = await runs.find(id);
    if (run === null || run.tenant !== tenant)
      throw new ReportError('report_run_not_found', `There is no run "${id}" of a report.`);
    return run;
  }

  return {
    input: inputSchema,
    outputs: ['rows', 'bytes', 'file', 'run'],
    start: ({ input, who, key }) =>
      asFailure(async () => {
        const { job, definition } = jobOf(inputSchema.parse(input), who, catalogue(), now());
        const { tenant, submitter, correlationId } = who;
        const run = await runs.submit({ definition, job, tenant, submitter, correlationId, key });
        return { id: run.id };
      }),
    look: (id, who) => asFailure(async () => sightOf(await find(id, who))),
    async cancel(id, who) {
      const run = await find(id, who);
      if (run.state === 'QUEUED' || run.state === 'PROCESSING') await runs.cancel(run);
    },
    async retry(id, who, input) {
      const run = await find(id, who);
      if (run.state !== 'FAILED' && run.state !== 'CANCELED') return false;
      if (!isAskedFor(run, inputSchema.parse(input), who, catalogue())) return false;
      await runs.retry(run);
      return true;
    },
    file: (id, who, signal) =>
      asFailure(async () => {
        const { place, name, mediaType } = fileOf(await find(id, who));
        return { name, mediaType, read: () => outputs.read(place, undefined, signal) };
      }),
    link: (id) => `/reports/runs/${id}`,
  };
}

/** What is refused would be refused again: the pipeline's step fails at once, and says why. */
async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    throw new JobFailure(error.code, error.message, { retryable: false, cause: error });
  }
}

function jobOf(
  input: Input,
  who: Who,
  view: CatalogueView,
  now: number,
): { readonly job: ReportJob; readonly definition: ReportDefinition } {
  const { roles, claims, submitter } = who;
  const name = submitter ?? 'nobody';
  if ('report' in input) {
    const { report, format, compression } = input;
    const parameters = givenTo(view.reports.get(report), input.parameters);
    const prepared = prepareReport(view, {
      report,
      parameters,
      output: { format, compression },
      caller: {
        name,
        subject: name,
        roles: ROLES.filter((role) => roles.includes(role)),
        claims,
        tenants: null,
        expiresAt: null,
      },
      now,
    });
    if ('refused' in prepared) {
      const { why, message } = prepared.refused;
      // Trying again would not help: what the pipeline asks for has to change.
      const code = why === 'invalid_format' ? 'invalid_parameters' : why;
      throw new JobFailure(code, message, { retryable: false });
    }
    return prepared;
  }
  const { rows, title, columns, file, format = 'csv', compression = 'none' } = input;
  const definition = tableDefinition({ name: 'table', title, columns, file });
  return {
    definition,
    job: {
      report: definition.name,
      digest: definition.digest,
      parameters: {},
      output: { format, compression: compression === 'none' ? null : compression },
      identity: { name, subject: null, service: null, roles, claims },
      rows,
    },
  };
}

/**
 * A run keeps the definition and the parameters that it was made with, however often it is retried: after a correction it would fail
 * as before. One whose report is no longer there can only be retried.
 */
function isAskedFor(run: RunSight, input: Input, who: Who, view: CatalogueView): boolean {
  if ('report' in input && !view.reports.has(input.report)) return run.report === input.report;
  try {
    const { job, definition } = jobOf(input, who, view, run.createdAt);
    const { timeZone, parameters } = definition.value;
    const moment = { now: run.createdAt, timeZone };
    const [asked, made] = [job.parameters ?? {}, run.parameters].map((given) =>
      resolveParameters(parameters, given, moment),
    );
    return (
      run.digest === job.digest &&
      run.format === job.output.format &&
      run.compression === job.output.compression &&
      JSON.stringify(asked) === JSON.stringify(made)
    );
  } catch (error) {
    // What is refused now is refused once more where it is begun, and says why.
    if (error instanceof JobFailure) return false;
    throw error;
  }
}

/** A report that is not there is refused for that, whatever its parameters are. */
function givenTo(
  definition: ReportDefinition | undefined,
  values: Readonly<Record<string, unknown>>,
): GivenParameters {
  const read = givenFromJson(definition?.value.parameters ?? [], definition ? values : {});
  if ('given' in read) return read.given;
  const message = read.problems.map((each) => `${each.parameter}: ${each.message}`).join(' ');
  throw new JobFailure('invalid_parameters', message, { retryable: false });
}

function sightOf(run: RunSight): StepSight {
  const { state, error, rows, totalRows, bytes, fileName, id } = run;
  switch (state) {
    case 'SUCCEEDED':
      return { state: 'done', output: { rows, bytes, file: fileName, run: id } };
    case 'FAILED':
    case 'CANCELED': {
      const { code, message } = error ?? { code: 'canceled', message: 'Somebody cancelled it.' };
      return { state: 'failed', error: { code, message } };
    }
    case 'QUEUED':
    case 'PROCESSING': {
      const total = totalRows === null ? {} : { total: Math.max(totalRows, rows ?? 0) };
      return { state: 'running', progress: rows === null ? null : { done: rows, ...total } };
    }
    default: {
      const unknown: never = state;
      throw new Error(`A run cannot be ${String(unknown)}.`);
    }
  }
}
