import { type Ended, type Log, type Registry, decide, done } from '@millrace/engine';
import { id18, isId } from '@millrace/salesforce';
import { type FileToUpload, type Interactive, filesEffect } from '@millrace/store-salesforce';
import { type Org, Refusal, type Scope, hasTenant } from '@millrace/workload-kit';
import type { Envelope } from '../contract/envelope.ts';
import { DocumentError, failureOf } from '../errors.ts';
import type { Files } from '../files/files.ts';
import { firstOf } from '../templates/orgs.ts';
import type { Generated } from './generate.ts';
import { kindOf, linksOf } from './salesforce-kind.ts';

/**
 * Records of an org that somebody waits at: born PROCESSING, with a lease. How such a record ends is decided as for a job
 * that a worker runs, by the engine and the retry rule of the org's kind.
 */
export interface WaitingRecords {
  /** Makes the document; a record that waits for it has the file, its links and its status before this resolves. */
  serve(
    envelope: Envelope,
    correlationId: string,
    /** Records of other tenants' orgs are none that wait. */
    scope: Scope,
    /** In the tenant of the record's org; undefined where no record waits. */
    generate: (tenant: string | undefined) => Promise<Generated>,
    log: Log,
  ): Promise<Generated>;
}

interface Waiting {
  readonly org: Org;
  readonly lease: Interactive;
  readonly correlationId: string;
}

export function createWaitingRecords(params: {
  readonly orgs: readonly Org[];
  readonly registry: Pick<Registry, 'require'>;
  readonly files: Files;
  readonly random?: () => number;
}): WaitingRecords {
  const { orgs, registry, files, random = Math.random } = params;

  async function find(
    { generatedDocumentId: id }: Envelope,
    correlationId: string,
    scope: Scope,
  ): Promise<Waiting | null> {
    if (orgs.length === 0 || id === undefined || id === null) return null;
    if (!isId(id))
      throw new Refusal('validation_error', 'generatedDocumentId is no id of a record.');
    const own = orgs.filter(({ tenant }) => hasTenant(scope, tenant));
    const found = await firstOf(own, async (org) => {
      const lease = await org.store.interactive(id18(id), correlationId);
      return lease === null ? null : { org, lease, correlationId };
    });
    if (found !== null) return found;
    throw new Refusal(
      'conflict',
      `The record ${id} does not wait for its document: it is not there, or it is not PROCESSING. Ask for a new one.`,
    );
  }

  async function fileOf(
    part: FileToUpload['part'],
    { id, name }: Generated['output'],
    tenant: string,
  ): Promise<FileToUpload> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await files.read(id, { tenant })).bytes) chunks.push(chunk);
    return { part, name, bytes: Buffer.concat(chunks) };
  }

  async function settle({ org, lease, correlationId }: Waiting, ended: Ended) {
    const kind = registry.require(kindOf(org.name));
    const { attempt, maxAttempts } = lease;
    const running = { kind, job: { maxAttempts }, attempt, abortReason: null };
    const outcome = decide({ store: org.store, random }, running, ended);
    if (outcome === null) throw new Error('an end without a lease was decided for a record');
    return org.store.settleInteractive(lease, outcome, correlationId);
  }

  /** Files, links and status together, or the reason why not. */
  async function finish(waiting: Waiting, envelope: Envelope, made: Generated): Promise<void> {
    const { org } = waiting;
    const { output, docx, timings, templateId } = made;
    const uploads: FileToUpload[] = [await fileOf('output', output, org.tenant)];
    if (docx !== null) uploads.push(await fileOf('docx', docx, org.tenant));
    const effects = [filesEffect(uploads, linksOf(envelope))];
    const answer = await settle(waiting, {
      type: 'returned',
      outcome: done({ templateId, timings }, { effects }),
    });
    if (answer === 'stale')
      throw new Refusal(
        'conflict',
        'Someone else has the record by now; the file was not attached.',
      );
    if (typeof answer === 'string') return;
    const { message, retryable } = answer.refused;
    throw new DocumentError('upload_failed', message, { retryable });
  }

  /** What is temporary is tried again by the batch; all else is FAILED, and says why. */
  async function fail(waiting: Waiting, thrown: unknown, log: Log): Promise<void> {
    try {
      await settle(waiting, { type: 'threw', thrown: failureOf(thrown) });
    } catch (unsaid) {
      // The lease of the record runs out, and the batch makes the document.
      log.warn({ err: unsaid }, 'the failure could not be written to the record');
    }
  }

  return {
    async serve(envelope, correlationId, scope, generate, log) {
      const waiting = await find(envelope, correlationId, scope);
      if (waiting === null) return generate(undefined);
      try {
        const generated = await generate(waiting.org.tenant);
        await finish(waiting, envelope, generated);
        return generated;
      } catch (error) {
        await fail(waiting, error, log);
        throw error;
      }
    },
  };
}
