import { missingFields } from '@millrace/docx';
import { readContent } from '../files/contents.ts';
import { type Envelope, type EnvelopeInput } from '../contract/envelope.ts';
import { parseEnvelope } from './request.ts';
import { reasonOf, storing } from '../errors.ts';
import type { FileFacts, Files, StoredFile } from '../files/files.ts';
import { type Ending, mediaTypeOf, outputName } from './names.ts';
import type { DocumentMetrics, Timings } from '../observe.ts';
import { type Produced, type Workshop, produce } from './produce.ts';
import { type Unsettled, countFailure, recordMade } from '../unsettled.ts';

export interface GenerateContext {
  readonly tenant?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly submitter?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Generated {
  readonly templateId: string;
  /** In the format asked for. */
  readonly output: StoredFile;
  /** With storeMergedDocx. */
  readonly docx: StoredFile | null;
  /** The bytes were in the output cache. */
  readonly cached: boolean;
  readonly templateCached: boolean;
  readonly warnings: readonly string[];
  readonly timings: Timings;
  /** What the answer carries: the output, or with returnDocxToBrowser the merged DOCX, kept or not. */
  readonly body: Body;
}

export interface Body {
  readonly name: string;
  readonly mediaType: string;
  /** From memory where it has just been made. */
  bytes(): Promise<Uint8Array>;
}

export type Generate = (envelope: EnvelopeInput, context?: GenerateContext) => Promise<Generated>;

/** Makes a document while its caller waits. */
export function createGenerate(parts: {
  workshop: Workshop;
  files: Files;
  metrics: DocumentMetrics;
}): Generate {
  const { workshop, files, metrics } = parts;
  return async (given, context = {}) => {
    const envelope = parseEnvelope(given);
    const { tenant = '', signal, correlationId, submitter = null } = context;
    const options = { tenant, lane: 'interactive', signal, correlationId, submitter } as const;
    return measured(metrics, envelope, { signal }, async () => {
      const produced = await produce(workshop, envelope, options);
      const facts = factsOf(envelope, produced, context);
      const { output, docx } = await produced.step('store', () =>
        recordFiles(workshop, files, envelope, produced, facts),
      );
      const { templateId, cached, templateCached, fields } = produced;
      const missing = missingFields(fields, envelope.data);
      const warnings = [...(missing === null ? [] : [missing]), ...produced.warnings];
      return {
        templateId,
        output,
        docx,
        cached,
        templateCached,
        warnings,
        timings: produced.timings(),
        body: bodyOf(workshop, envelope, produced, output),
      };
    });
  };
}

/** Counts what it takes and why it fails, by template. What was aborted did not fail. */
async function measured<T extends { readonly templateId: string; readonly timings: Timings }>(
  metrics: DocumentMetrics,
  { templateId, outputFormat }: Pick<Envelope, 'templateId' | 'outputFormat'>,
  { signal }: { signal: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const mode = 'interactive';
  try {
    const made = await work();
    recordMade(metrics, { templateId: made.templateId, outputFormat, mode }, made.timings);
    return made;
  } catch (error) {
    if (signal?.aborted !== true)
      countFailure(metrics, reasonOf(error).reason, { templateId, outputFormat, mode });
    throw error;
  }
}

/** The same of a job's document, which counts when the end of the job is written. */
export async function measuredJob<
  T extends { readonly templateId: string; readonly timings: Timings },
>(
  unsettled: Unsettled,
  { templateId, outputFormat }: Pick<Envelope, 'templateId' | 'outputFormat'>,
  job: string,
  work: () => Promise<T>,
): Promise<T> {
  const mode = 'batch';
  unsettled.begun(job, { templateId, outputFormat, mode });
  const made = await work();
  unsettled.made(job, { templateId: made.templateId, outputFormat, mode }, made.timings);
  return made;
}

export function endingOf({ outputFormat }: Pick<Envelope, 'outputFormat'>): 'pdf' | 'docx' {
  return outputFormat === 'PDF' ? 'pdf' : 'docx';
}

export function factsOf(
  envelope: Envelope,
  { templateId }: Pick<Produced, 'templateId'>,
  { tenant, correlationId, submitter }: GenerateContext,
): Omit<FileFacts, 'name'> {
  const { parents, requestHash, generatedDocumentId, subject } = envelope;
  const origin = {
    ...(parents && { parents }),
    ...(requestHash && { requestHash }),
    ...(generatedDocumentId && { generatedDocumentId }),
  };
  return {
    tenant,
    templateId,
    correlationId,
    submitter,
    subject: subject ?? undefined,
    ...(Object.keys(origin).length > 0 && { origin }),
  };
}

async function recordFiles(
  { database }: Workshop,
  files: Files,
  envelope: Envelope,
  { output, docx }: Produced,
  facts: Omit<FileFacts, 'name'>,
): Promise<{ output: StoredFile; docx: StoredFile | null }> {
  const named = (ending: Ending): FileFacts => ({
    ...facts,
    name: outputName(envelope.outputFileName, ending),
  });
  try {
    return {
      output: await files.record(database, output.seq, named(endingOf(envelope))),
      docx: docx && (await files.record(database, docx.seq, named('docx'))),
    };
  } catch (error) {
    throw storing(error);
  }
}

function bodyOf(
  workshop: Workshop,
  envelope: Envelope,
  { output, merged }: Produced,
  file: StoredFile,
): Body {
  if (envelope.outputFormat === 'PDF' && envelope.options.returnDocxToBrowser) {
    const name = outputName(envelope.outputFileName, 'docx');
    return { name, mediaType: mediaTypeOf(name), bytes: merged };
  }
  return {
    name: file.name,
    mediaType: file.mediaType,
    async bytes() {
      if (output.bytes !== null) return output.bytes;
      const chunks: Uint8Array[] = [];
      for await (const chunk of readContent(workshop, output)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}
