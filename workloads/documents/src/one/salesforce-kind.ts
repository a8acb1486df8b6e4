import { type JobKind, RETRY, type RetryPolicy, defineJob, done } from '@millrace/engine';
import { type FileToUpload, type Links, filesEffect } from '@millrace/store-salesforce';
import type { Documents } from '../documents.ts';
import { type Envelope, type EnvelopeInput, envelopeSchema } from '../contract/envelope.ts';
import { DocumentError, failureOf } from '../errors.ts';
import { endingOf } from './generate.ts';
import { outputName } from './names.ts';
import type { Made } from './produce.ts';

/**
 * A document whose record, template and output are in a Salesforce org. Nothing of it is kept here: the files go
 * to the org in the transaction that says SUCCEEDED.
 */
export function salesforceDocumentKind(org: string, retries: number): JobKind<unknown, Documents> {
  return defineJob({
    kind: kindOf(org),
    input: envelopeSchema,
    retry: retryPolicy(retries),
    // 60 s of converting, with a lot to spare; waiting for a free process does not count.
    timeout: '5m',
    async run({ id, data: envelope, correlationId, tenant }, context, documents: Documents) {
      const { signal, pauseTimeout } = context;
      try {
        const made = await documents.make(envelope, {
          tenant,
          lane: 'batch',
          signal,
          correlationId,
          pauseTimeout,
          job: id,
        });
        return done(recordResult(made), { effects: [filesOf(envelope, made)] });
      } catch (error) {
        throw signal.aborted ? error : failureOf(error);
      }
    },
  });
}

/** What Result__c keeps of a document. The components of the package show its warnings. */
export function recordResult({
  templateId,
  timings,
  warnings,
}: Pick<Made, 'templateId' | 'timings' | 'warnings'>) {
  return { templateId, timings, ...(warnings.length > 0 && { warnings }) };
}

export function kindOf(org: string): string {
  return `document.${org}`;
}

/** One minute, five, fifteen; those after the third wait as long as the third. */
function retryPolicy(retries: number): RetryPolicy {
  const { delays } = RETRY.standard;
  return {
    backoff: 'steps',
    delays: Array.from({ length: retries }, (_, index) => delays[index] ?? '15m'),
  };
}

function filesOf(envelope: Envelope, { output, docx }: Made) {
  const name = (ending: 'pdf' | 'docx') => outputName(envelope.outputFileName, ending);
  const files: FileToUpload[] = [
    { part: 'output', name: name(endingOf(envelope)), bytes: output },
    ...(docx === null ? [] : [{ part: 'docx' as const, name: name('docx'), bytes: docx }]),
  ];
  return filesEffect(files, linksOf(envelope));
}

/** What the ids of these objects begin with. A record that a document was made from may be of any. */
const PREFIXES: Readonly<Record<string, string>> = {
  AccountId: '001',
  OpportunityId: '006',
  CaseId: '500',
};

/** Every parent that is not null. An id of another object is refused: a document must not hang where nobody meant it to. */
export function linksOf({ parents, options }: Pick<EnvelopeInput, 'parents' | 'options'>): Links {
  const named = Object.entries(parents ?? {}).flatMap(([name, id]) =>
    id === null || id === undefined ? [] : [{ name, id }],
  );
  for (const { name, id } of named) {
    const prefix = PREFIXES[name] ?? '';
    if (id.startsWith(prefix)) continue;
    const message = `parents.${name}: "${id}" is an id of another object. Give one that begins with ${prefix}, or name it RecordId.`;
    throw new DocumentError('validation_error', message);
  }
  return {
    parents: named.map(({ id }) => id),
    ...(options?.visibility !== undefined && { visibility: options.visibility }),
  };
}
