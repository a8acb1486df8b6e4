import {
  DocumentError,
  type EnvelopeInput,
  type Files,
  type Generated,
  failureOf,
  linksOf,
} from '@millrace/documents';
import { type Log, RETRY, type SettledOutcome, stackOf, toMs } from '@millrace/engine';
import { isId, id18 } from '@millrace/salesforce';
import { type FileToUpload, type Interactive, filesEffect } from '@millrace/store-salesforce';
import { Refusal } from '../http/refusal.ts';
import { type Org, firstOf } from './orgs.ts';

/** A document that somebody in an org waits for: its record was born PROCESSING and holds the lease. */
export interface Waiting {
  readonly org: Org;
  readonly lease: Interactive;
  readonly correlationId: string;
}

type Request = Pick<EnvelopeInput, 'generatedDocumentId' | 'parents' | 'options'>;

export async function findWaiting(
  orgs: readonly Org[],
  { generatedDocumentId: id }: Pick<Request, 'generatedDocumentId'>,
  correlationId: string,
): Promise<Waiting | null> {
  if (orgs.length === 0 || id === undefined || id === null) return null;
  if (!isId(id)) throw new Refusal('validation_error', 'generatedDocumentId is no id of a record.');
  const found = await firstOf(orgs, async (org) => {
    const lease = await org.store.interactive(id18(id), correlationId);
    return lease === null ? null : { org, lease, correlationId };
  });
  if (found !== null) return found;
  throw new Refusal(
    'conflict',
    `The record ${id} does not wait for its document: it is not there, or it is not PROCESSING. Ask for a new one.`,
  );
}

/** Files, links and status together, or the reason why not. */
export async function finishWaiting(
  { org, lease, correlationId }: Waiting,
  envelope: Request,
  { output, docx, timings, templateId }: Generated,
  stored: Files,
): Promise<void> {
  const files: FileToUpload[] = [await fileOf('output', output, stored)];
  if (docx !== null) files.push(await fileOf('docx', docx, stored));
  const outcome: SettledOutcome = {
    move: 'succeed',
    result: JSON.stringify({ templateId, timings }),
    purgePayload: false,
    effects: [filesEffect(files, linksOf(envelope))],
  };
  const answer = await org.store.settleInteractive(lease, outcome, correlationId);
  if (answer === 'stale')
    throw new Refusal('conflict', 'Someone else has the record by now; the file was not attached.');
  if (typeof answer === 'string') return;
  const { message, retryable } = answer.refused;
  throw new DocumentError('upload_failed', message, { retryable });
}

async function fileOf(
  part: FileToUpload['part'],
  { id, name }: Generated['output'],
  stored: Files,
): Promise<FileToUpload> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await stored.read(id)).bytes) chunks.push(chunk);
  return { part, name, bytes: Buffer.concat(chunks) };
}

/** What passes is tried again by the batch; all else is FAILED, and says why. */
export async function failWaiting(
  { org, lease, correlationId }: Waiting,
  thrown: unknown,
  log: Log,
): Promise<void> {
  const { code, message, retryable } = failureOf(thrown);
  const error = { code, message, retryable };
  const stack = stackOf(thrown);
  const delay = RETRY.standard.delays[lease.attempt - 1];
  const again = retryable && lease.attempt < lease.maxAttempts && delay !== undefined;
  const outcome: SettledOutcome = again
    ? { move: 'retry', error, stack, delayMs: toMs(delay) }
    : { move: 'fail', error, stack };
  try {
    await org.store.settleInteractive(lease, outcome, correlationId);
  } catch (unsaid) {
    // Its lease runs out, and the batch makes the document.
    log.warn({ err: unsaid }, 'the record could not be told of the failure');
  }
}
