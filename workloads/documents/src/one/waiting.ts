import { type Ended, type Log, type Registry, decide, done } from '@millrace/engine';
import { id18, isId } from '@millrace/salesforce';
import { type FileToUpload, type Interactive, filesEffect } from '@millrace/store-salesforce';
import { type Org, Refusal, type Scope, hasTenant } from '@millrace/workload-kit';
import type { Envelope } from '../contract/envelope.ts';
import { DocumentError, failureOf } from '../errors.ts';
import type { Files } from '../files/files.ts';
import { firstOf } from '../templates/orgs.ts';
import { canonicalJson } from './canonical.ts';
import type { Generated } from './generate.ts';
import { parseEnvelope } from './request.ts';
import { kindOf, linksOf, recordResult } from './salesforce-kind.ts';

/**
 * Records of an org that somebody waits at: born PROCESSING, with a lease. How such a record ends is decided as for a job
 * that a worker runs, by the engine and the retry rule of the org's kind.
 */
export interface WaitingRecords {
  /** Makes the document; a record that waits for it has the file, its links and its status before this resolves. */
  serve(asked: Asked): Promise<Generated>;
}

export interface Asked {
  readonly envelope: Envelope;
  readonly correlationId: string;
  /** Records of other tenants' orgs are none that wait. */
  readonly scope: Scope;
  readonly caller: string | null;
  /** The token that the caller shows for the record's lease. */
  readonly lease: string | null;
  /** In the tenant of the record's org; undefined where no record waits. */
  readonly generate: (tenant: string | undefined) => Promise<Generated>;
  readonly log: Log;
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

  /**
   * The service may settle every record of an org, its callers none: who settles one shows the lease that Apex gave out with it,
   * is whom the record names, if it names somebody, and sends the request that the record has. All refusals before that are the
   * same, so that nobody learns which records there are.
   */
  async function find(asked: Asked): Promise<Waiting | null> {
    const { envelope, correlationId, scope, caller, lease: token } = asked;
    const { generatedDocumentId: id } = envelope;
    if (orgs.length === 0 || id === undefined || id === null) return null;
    if (!isId(id))
      throw new Refusal('validation_error', 'generatedDocumentId is no id of a record.');
    const recordId = id18(id);
    if (token === null) throw notHeld(recordId);
    const own = orgs.filter(({ tenant }) => hasTenant(scope, tenant));
    const found = await firstOf(own, async (org) => {
      const lease = await org.store.interactive({ recordId, token, correlationId });
      return lease === null ? null : { org, lease, correlationId };
    });
    if (found === null) throw notHeld(recordId);
    const { submitter, request } = found.lease;
    if (submitter !== null && submitter !== caller) throw notHeld(recordId);
    const others = differences(envelope, request);
    if (others.length === 0) return found;
    throw new Refusal(
      'other_request',
      `The record ${recordId} has another request: ${others.join(', ')} differ. Send RequestJSON__c as it is.`,
      { auditTarget: recordId },
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
    const { output, docx } = made;
    const uploads: FileToUpload[] = [await fileOf('output', output, org.tenant)];
    if (docx !== null) uploads.push(await fileOf('docx', docx, org.tenant));
    const effects = [filesEffect(uploads, linksOf(envelope))];
    const answer = await settle(waiting, {
      type: 'returned',
      outcome: done(recordResult(made), { effects }),
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
    async serve(asked) {
      const { envelope, generate, log } = asked;
      const waiting = await find(asked);
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

function notHeld(recordId: string): Refusal {
  return new Refusal(
    'lease_not_held',
    `The header millrace-lease does not show the lease of the record ${recordId}, or the record does not wait for its document. Request a new document in Salesforce.`,
    { auditTarget: recordId },
  );
}

/** The members of the request that are not as in the record; all of them where the record's cannot be read. */
function differences(envelope: Envelope, request: string | null): string[] {
  const given: Partial<Record<string, unknown>> = { ...envelope, generatedDocumentId: undefined };
  const kept = requestOf(request);
  const names = new Set([...Object.keys(given), ...Object.keys(kept)]);
  return [...names].filter((name) => canonicalJson(given[name]) !== canonicalJson(kept[name]));
}

function requestOf(request: string | null): Partial<Record<string, unknown>> {
  try {
    return { ...parseEnvelope(JSON.parse(request ?? '')), generatedDocumentId: undefined };
  } catch {
    return {};
  }
}
