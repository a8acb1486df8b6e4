import { type JobKind, type RetryPolicy, defineJob, done } from '@millrace/engine';
import { type FileToUpload, filesEffect } from '@millrace/store-salesforce';
import type { Documents } from './documents.ts';
import { type Envelope, envelopeSchema } from './envelope.ts';
import { failureOf } from './errors.ts';
import { endingOf } from './generate.ts';
import { outputName } from './names.ts';
import type { Made } from './produce.ts';

/**
 * A document whose record, template and output are in a Salesforce org. Nothing of it is kept here: the files go
 * to the org in the transaction that says SUCCEEDED.
 */
export function salesforceDocumentKind(params: {
  readonly kind: string;
  readonly documents: () => Documents;
  readonly retry: RetryPolicy;
}): JobKind {
  const { kind, documents, retry } = params;
  return defineJob({
    kind,
    input: envelopeSchema,
    retry,
    // Waiting for a free office process and 60 s of converting, with a lot to spare.
    timeout: '5m',
    async run({ data: envelope, correlationId, tenant }, { signal }) {
      try {
        const made = await documents().make(envelope, {
          tenant,
          lane: 'batch',
          signal,
          correlationId,
        });
        const { templateId, timings } = made;
        return done({ templateId, timings }, { effects: [filesOf(envelope, made)] });
      } catch (error) {
        throw signal.aborted ? error : failureOf(error);
      }
    },
  });
}

function filesOf(envelope: Envelope, { output, docx }: Made) {
  const name = (ending: 'pdf' | 'docx') => outputName(envelope.outputFileName, ending);
  const files: FileToUpload[] = [
    { part: 'output', name: name(endingOf(envelope)), bytes: output },
    ...(docx === null ? [] : [{ part: 'docx' as const, name: name('docx'), bytes: docx }]),
  ];
  return filesEffect(files, parentsOf(envelope));
}

/** Every parent that is not null. */
export function parentsOf({ parents }: Pick<Envelope, 'parents'>): string[] {
  return Object.values(parents ?? {}).flatMap((id) => id ?? []);
}
