import type { JobContext, RunningJob } from '@millrace/engine';
import { type BatchRecord, batchRows } from '../batch/records.ts';
import { emptyFields, emptyWarning } from '../batch/empty-fields.ts';
import { rowData } from '../batch/row-data.ts';
import { type Envelope, envelopeSchema } from '../contract/envelope.ts';
import { DocumentError, failureOf, storing } from '../errors.ts';
import type { FileFacts, Files } from '../files/files.ts';
import { type Generated, endingOf, factsOf, measuredJob } from './generate.ts';
import { seqOf } from '../ids.ts';
import { type Begun, type ItemRef, items } from '../batch/items.ts';
import { nameFromRow, outputName } from './names.ts';
import type { Passwords } from '../passwords.ts';
import { type Produced, type Workshop, produce } from './produce.ts';
import { parseAs } from './request.ts';
import type { Unsettled } from '../unsettled.ts';

interface Recorded {
  readonly fileId: string;
  readonly docxFileId: string | null;
}

/** What a job of the kind `document` leaves as its result. */
export interface DocumentResult extends Recorded {
  readonly cached: boolean;
  readonly timings: Generated['timings'];
  /** Only where there are any. */
  readonly warnings?: readonly string[];
}

export interface RunDocument {
  runOne(job: RunningJob<Envelope>, context: JobContext): Promise<DocumentResult | Skipped>;
  runItem(
    job: RunningJob<ItemInput>,
    context: JobContext,
  ): Promise<DocumentResult | Skipped | Recorded>;
}

/** Which item of which batch, in which run. */
export interface ItemInput {
  readonly batch: string;
  readonly run: number;
  readonly item: number;
}

/** The item was canceled, is made already, or is another execution's. */
export interface Skipped {
  readonly skipped: true;
}

interface Parts {
  readonly workshop: Workshop;
  readonly files: Files;
  readonly unsettled: Unsettled;
  readonly passwords: Passwords;
}

export function createRunDocument(parts: Parts): RunDocument {
  const { workshop, files, passwords } = parts;
  const { database } = workshop;

  return {
    async runOne(job, context) {
      try {
        const envelope = passwords.open(job.data);
        return await make(parts, envelope, job, context, async (produced) => {
          const facts = factsOf(envelope, produced, contextOf(job));
          return database.transaction((session) =>
            record(session, files, envelope, produced, facts, job.id),
          );
        });
      } catch (error) {
        throw context.signal.aborted ? error : failureOf(error);
      }
    },

    async runItem(job, context) {
      const { run, item } = job.data;
      const { batch, begun } = await begin(parts, job, context);
      const ref: ItemRef = { batch: batch.seq, item, run };
      if (begun.type === 'made') return { fileId: begun.fileId, docxFileId: begun.docxFileId };
      if (begun.type === 'refused') return { skipped: true };
      try {
        const settings = passwords.open(batch.settings);
        const envelope = envelopeOf({ ...batch, settings }, begun.data, item);
        const isTable = batch.source?.columns !== undefined;
        return await make(parts, envelope, job, context, (made) => {
          const empty = isTable ? emptyFields(made.fields, envelope.data) : [];
          const more = empty.length === 0 ? [] : [emptyWarning(empty)];
          const produced = { ...made, warnings: [...more, ...made.warnings] };
          const facts = { ...factsOf(envelope, produced, contextOf(batch)), batchId: batch.id };
          return recordItem(parts, envelope, produced, facts, ref, context.lease.epoch);
        });
      } catch (error) {
        // An aborted execution has not failed: the engine knows why it was aborted and decides what becomes of the
        // job.
        if (context.signal.aborted) throw error;
        throw await failItem(parts, ref, job, context, error);
      }
    },
  };
}

/** Another execution has the item, or the batch was canceled: what this one made is let go. */
class Superseded extends Error {}

/** The file and the item that names it, together or not at all. */
async function recordItem(
  { workshop, files }: Parts,
  envelope: Envelope,
  produced: Produced,
  facts: Omit<FileFacts, 'name'>,
  ref: ItemRef,
  epoch: number,
): Promise<Recorded | null> {
  try {
    return await workshop.database.transaction(async (session) => {
      const made = await record(session, files, envelope, produced, facts, null);
      const ended = await items.end(session, ref, epoch, {
        state: 'SUCCEEDED',
        warnings: produced.warnings,
        output: seqOf('file', made.fileId),
        docx: made.docxFileId === null ? null : seqOf('file', made.docxFileId),
      });
      if (!ended) throw new Superseded();
      return made;
    });
  } catch (error) {
    if (error instanceof Superseded) return null;
    throw error;
  }
}

async function make(
  { workshop, unsettled }: Parts,
  envelope: Envelope,
  job: RunningJob<unknown>,
  { signal, pauseTimeout }: JobContext,
  name: (produced: Produced) => Promise<Recorded | null>,
): Promise<DocumentResult | Skipped> {
  const { tenant, correlationId, submitter } = job;
  const { named, cached, timings, warnings } = await measuredJob(
    unsettled,
    envelope,
    job.id,
    async () => {
      const produced = await produce(workshop, envelope, {
        tenant,
        correlationId,
        submitter,
        signal,
        lane: 'batch',
        pauseTimeout,
      });
      const recorded = await produced.step('store', () => storingOf(() => name(produced)));
      const { templateId, warnings: said } = produced;
      const timed = produced.timings();
      return {
        templateId,
        named: recorded,
        cached: produced.cached,
        timings: timed,
        warnings: said,
      };
    },
  );
  if (named === null) return { skipped: true };
  return { ...named, cached, timings, ...(warnings.length > 0 && { warnings }) };
}

async function storingOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storing(error);
  }
}

async function record(
  session: Parameters<Files['record']>[0],
  files: Files,
  envelope: Envelope,
  { output, docx }: Produced,
  facts: Omit<FileFacts, 'name'>,
  job: string | null,
): Promise<Recorded> {
  const name = (ending: 'pdf' | 'docx') => outputName(envelope.outputFileName, ending);
  const of = (part: string) => (job === null ? {} : { of: { job, part } });
  const made = await files.record(session, output.seq, {
    ...facts,
    ...of('output'),
    name: name(endingOf(envelope)),
  });
  const kept =
    docx &&
    (await files.record(session, docx.seq, { ...facts, ...of('docx'), name: name('docx') }));
  return { fileId: made.id, docxFileId: kept?.id ?? null };
}

/** Writes the failure to the item, and gives the error that the job fails with. */
async function failItem(
  { workshop }: Parts,
  ref: ItemRef,
  { attempt, maxAttempts }: RunningJob<unknown>,
  { lease, log }: JobContext,
  error: unknown,
): Promise<Error> {
  const failure = failureOf(error);
  const { code, message } = failure;
  const isFinal = !failure.retryable || attempt >= maxAttempts;
  try {
    await items.end(workshop.database, ref, lease.epoch, {
      state: isFinal ? 'FAILED' : 'PENDING',
      error: { code, message },
    });
  } catch (unsaid) {
    // The item is not written now: the batch's job finds the end of this job later and writes it.
    log.warn({ error: String(unsaid) }, 'The end of a document could not be noted at its batch');
  }
  return failure;
}

async function begin(
  { workshop }: Parts,
  { data, tenant, submitter }: RunningJob<ItemInput>,
  { lease }: JobContext,
): Promise<{ batch: BatchRecord; begun: Begun }> {
  const { database } = workshop;
  try {
    const seq = seqOf('batch', data.batch);
    const batch = seq === null ? null : await batchRows.get(database, seq, tenant);
    // The jobs of items have the submitter of their batch: a job of anybody else is none of them.
    if (batch === null || batch.submitter !== submitter)
      throw new DocumentError('validation_error', `There is no batch "${data.batch}".`);
    const ref = { batch: batch.seq, item: data.item, run: data.run };
    return { batch, begun: await items.begin(database, ref, lease, tenant) };
  } catch (error) {
    throw failureOf(error);
  }
}

function envelopeOf({ settings, source }: BatchRecord, data: string, item: number): Envelope {
  const given = JSON.parse(data) as Record<string, unknown>;
  const row = rowData(given, settings, source);
  const { outputFileName, allowMissing: _, preview: __, ...rest } = settings;
  // What the row makes of the name may be no name: that is the row's fault, and stays so.
  const name = nameFromRow(outputFileName, row, item) || `document-${item}`;
  return parseAs(envelopeSchema, { ...rest, outputFileName: name, data: row }, 'row');
}

/** Whose the file is: whoever submitted the job, or the batch of which the document is an item. */
function contextOf({
  tenant,
  correlationId,
  submitter,
}: Pick<BatchRecord, 'tenant' | 'correlationId' | 'submitter'>) {
  return { tenant, correlationId, submitter: submitter ?? undefined };
}
