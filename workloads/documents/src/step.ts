import { isDeepStrictEqual } from 'node:util';
import { JobFailure } from '@millrace/engine';
import type { FileOf, RowsOf, Step, StepSight, Who } from '@millrace/workload-kit';
import { z } from 'zod';
import type { Batch } from './batch/batches.ts';
import {
  type BatchSettingsInput,
  batchSettingsSchema,
  outputFormatSchema,
  pdfOptionsSchema,
} from './contract/envelope.ts';
import type { Documents } from './documents.ts';
import { DocumentError, type DocumentErrorCode } from './errors.ts';
import { OF_PIPELINES } from './templates/templates.ts';

const rowsOf = z.custom<RowsOf>(
  (value) => z.object({ step: z.string(), id: z.string() }).safeParse(value).success,
  { error: 'Write the name of an earlier step that has rows.' },
);

const fileOf = z.custom<FileOf>(
  (value) =>
    z
      .object({ name: z.string(), read: z.custom((read) => typeof read === 'function') })
      .safeParse(value).success,
);

const inputSchema = z.strictObject({
  template: z
    .union([z.string().min(1).max(200), fileOf], {
      error: 'Write the name of a template, or { file: NAME.docx } for one beside the pipeline.',
    })
    .describe('A template by name, or { file: letter.docx }.'),
  rows: rowsOf.describe('The step whose rows become documents, one each.'),
  data: z.record(z.string(), z.unknown()).default({}).describe('Beside what each row has.'),
  name: z.string().min(1).max(500).optional().describe('Of each document: Letter {{CustomerKey}}.'),
  format: outputFormatSchema.default('PDF'),
  // A pipeline's file is no place for a password.
  pdf: pdfOptionsSchema
    .omit({ password: true })
    .optional()
    .describe('pdfA (1b, 2b, 3b), pdfUa, watermark, pageRange.'),
  locale: z.string().max(50).optional(),
  timezone: z.string().max(100).optional(),
  strict: z.boolean().default(false).describe('A field that the row lacks is an error.'),
  subject: z.string().max(200).optional().describe('Whom each is about: {{CustomerKey}}.'),
  failedRows: z
    .enum(['stop', 'continue'])
    .default('stop')
    .describe('What the step is when some of the documents could not be made.'),
});

type Input = z.output<typeof inputSchema>;

function settingsOf(input: Input, templateId: string): BatchSettingsInput {
  const { name, format, strict, locale, timezone, pdf } = input;
  return {
    templateId,
    outputFormat: format,
    options: { strict },
    ...(name !== undefined && { outputFileName: name }),
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    ...(pdf !== undefined && { pdf }),
  };
}

/** A step that was given no rows has made no batch. */
const NOTHING = 'nothing';

/** A batch as a step of a pipeline: one document for each row of an earlier one. */
export function documentsStep(
  documents: Documents,
  steps: (name: string) => Step | undefined,
): Step {
  const { batches, templates } = documents;

  async function templateOf(template: string | FileOf, who: Who): Promise<string> {
    if (typeof template === 'string') return template;
    // A name of its own, so that nobody's template of this name gets another version.
    const added = await templates.add({
      name: `${OF_PIPELINES}${template.name.replace(/\.docx$/i, '')}`,
      bytes: await template.read(),
      by: who.submitter ?? undefined,
      tenant: who.tenant,
    });
    return added.template.id;
  }

  /**
   * A batch keeps its template and settings, however often it is retried: after a correction in the pipeline's file it would fail as
   * before. A newer version of a named template is no correction of the pipeline.
   */
  async function isAskedFor(batch: Batch, input: Input, who: Who): Promise<boolean> {
    const { templateId } = batch.settings;
    const { template } = input;
    const { tenant } = who;
    const asked = batchSettingsSchema.parse(settingsOf(input, templateId));
    if (!isDeepStrictEqual(asked, batch.settings)) return false;
    const isSame = await unless(['template_not_found'], async () => {
      const made = await templates.get(templateId, tenant);
      if (typeof template !== 'string') return made.sha256 === template.sha256;
      return made.name === (await templates.get(template, tenant)).name;
    });
    return isSame ?? false;
  }

  async function find(id: string, who: Who): Promise<Batch> {
    const batch = await batches.get(id, who.tenant);
    if (batch.submitter === who.submitter) return batch;
    throw new DocumentError('batch_not_found', `There is no batch "${id}".`);
  }

  return {
    input: inputSchema,
    outputs: ['total', 'succeeded', 'failed', 'batchId'],
    start: ({ input, who, key, signal }) =>
      asFailure(async () => {
        const asked = inputSchema.parse(input);
        const { rows: from, data, subject } = asked;
        const source = steps(from.step)?.rows?.(from.id, who, signal);
        if (source === undefined)
          throw new JobFailure('rows_missing', `A step "${from.step}" gives no rows.`, {
            retryable: false,
          });
        const rows = await begun(source);
        if (rows === null) return { id: NOTHING };
        const { id } = await batches.create(
          settingsOf(asked, await templateOf(asked.template, who)),
          { rows: withData(rows, data) },
          {
            tenant: who.tenant,
            correlationId: who.correlationId,
            submitter: who.submitter ?? undefined,
            subject,
            key,
          },
        );
        return { id };
      }),
    look: (id, who, input) =>
      asFailure(async () => {
        if (id === NOTHING) return { state: 'done', output: NO_DOCUMENTS };
        const { failedRows } = inputSchema.pick({ failedRows: true }).loose().parse(input);
        return sightOf(await find(id, who), failedRows);
      }),
    async cancel(id, who) {
      if (id === NOTHING) return;
      await unless(['batch_not_found', 'batch_finished'], async () => {
        await find(id, who);
        await batches.cancel(id, who.tenant);
      });
    },
    async retry(id, who, input) {
      if (id === NOTHING) return false;
      const retried = await unless(['batch_not_found', 'nothing_to_retry'], async () => {
        const batch = await find(id, who);
        if (!(await isAskedFor(batch, inputSchema.parse(input), who))) return false;
        // One that is not over was retried already, by an execution that was lost then.
        await unless(['batch_not_finished'], () => batches.retry(id, who.tenant));
        return true;
      });
      return retried ?? false;
    },
    async *rows(id, who) {
      if (id === NOTHING) return;
      await asFailure(() => find(id, who));
      yield* documents.madeRows(id);
    },
    file: (id, who) =>
      asFailure(async () => {
        await find(id, who);
        return documents.archive(id, who.tenant);
      }),
    link: (id) => (id === NOTHING ? '/batches' : `/batches/${id}`),
  };
}

const NO_DOCUMENTS = { total: 0, succeeded: 0, failed: 0, batchId: null };

function sightOf(batch: Batch, failedRows: 'stop' | 'continue'): StepSight {
  const { id, state, total, counts } = batch;
  const { succeeded, failed, canceled } = counts;
  if (state === 'LOADING') return { state: 'running', progress: null };
  if (state === 'RUNNING')
    return { state: 'running', progress: { done: succeeded + failed + canceled, total } };
  if (state === 'CANCELED')
    return {
      state: 'failed',
      error: { code: 'batch_canceled', message: `The batch ${id} was cancelled.` },
    };
  const missing = failed + canceled;
  if (missing > 0 && failedRows === 'stop')
    return {
      state: 'failed',
      error: {
        code: 'documents_failed',
        message: `${missing} of ${total} documents could not be made. "millrace batch failed ${id}" gives their rows with the reasons, "millrace batch retry ${id} --data FILE" takes them corrected; then resume.`,
      },
    };
  return { state: 'done', output: { total, succeeded, failed: missing, batchId: id } };
}

type Rows = AsyncIterable<Readonly<Record<string, unknown>>>;

/** The rows with the first of them read; null: there are none. */
async function begun(rows: Rows): Promise<Rows | null> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return null;
  return (async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

async function* withData(rows: Rows, data: Readonly<Record<string, unknown>>) {
  for await (const row of rows) yield { ...data, ...row };
}

async function unless<T>(
  codes: readonly DocumentErrorCode[],
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DocumentError && codes.includes(error.code)) return null;
    throw error;
  }
}

async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { code, message, retryable } = error;
    throw new JobFailure(code, message, { retryable, cause: error });
  }
}
