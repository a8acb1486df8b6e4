import { createHash } from 'node:crypto';
import type { Audit, Contract } from '@millrace/api';
import type { Log, Scope } from '@millrace/engine';
import type { AuditEnd, AuditEntry, AuditLog } from '@millrace/store-postgres';
import type { AdmittedCall, AdmittedHandler } from './handler.ts';
import { hasCrossed } from './access-trace.ts';

/**
 * Writes down what is about to be done, does it, and writes down how it ended. What only reads is written once, before
 * a byte of the answer leaves; and so is whatever an admin reads of tenants that are not their own.
 */
export function audited(
  name: string,
  { audit: kept, wide }: Contract,
  handler: AdmittedHandler,
  audit: AuditLog,
  replica: string,
): AdmittedHandler {
  if (kept === undefined || kept.once) return noted(name, kept ?? null, handler, audit);
  return async (call) => {
    const entry = entryOf(name, kept, call, replica);
    const id = await audit.begin({ entry: wide === true ? { ...entry, tenants: 'all' } : entry });
    const end = (outcome: AuditEnd) => endOf(audit, id, { ...outcome, ...about(call) }, call.log);
    try {
      const answer = await handler(call);
      await end({ outcome: 'done', count: countOf(kept, answer.body) });
      return answer;
    } catch (error) {
      await end({ outcome: 'refused', count: null });
      throw error;
    }
  };
}

function noted(
  name: string,
  kept: Audit | null,
  handler: AdmittedHandler,
  audit: AuditLog,
): AdmittedHandler {
  return async (call) => {
    try {
      const answer = await handler(call);
      await noteRead(name, kept, call, audit);
      return answer;
    } catch (error) {
      await noteRefusal(name, error, call, audit);
      throw error;
    }
  };
}

/**
 * Making documents is not in the log, but an attempt to reach with it what is not the caller's is: a refusal that names its
 * target. The caller gets the refusal also where it cannot be written down.
 */
async function noteRefusal(
  name: string,
  error: unknown,
  call: AdmittedCall,
  audit: AuditLog,
): Promise<void> {
  if (!(error instanceof Error)) return;
  const target = 'auditTarget' in error ? error.auditTarget : undefined;
  const code = 'code' in error ? error.code : undefined;
  if (typeof target !== 'string') return;
  const filter = typeof code === 'string' ? JSON.stringify({ errorCode: code }) : null;
  const entry = { ...entryOf(name, {}, call, null), target, filter, ...about(call) };
  try {
    await audit.note({ entry, outcome: 'refused' });
  } catch (err) {
    call.log.error({ err, action: name }, 'a refusal could not be written to the audit log');
  }
}

type Read = Pick<
  AdmittedCall,
  'caller' | 'scope' | 'accessTrace' | 'correlationId' | 'params' | 'query' | 'body'
>;

/** `kept` null: only of those who have crossed into tenants that are not their own. */
export async function noteRead(
  name: string,
  kept: Audit | null,
  call: Read,
  audit: AuditLog,
): Promise<void> {
  const { caller, accessTrace } = call;
  if (caller === null || (kept === null && !hasCrossed(caller, accessTrace))) return;
  const entry = entryOf(name, kept ?? {}, call, null);
  await audit.note({ entry: { ...entry, ...about(call) }, outcome: 'done' });
}

function entryOf(name: string, kept: Audit, call: Read, replica: string | null): AuditEntry {
  const { caller, scope, correlationId } = call;
  const params: Readonly<Record<string, string>> = call.params ?? {};
  const named = kept.target === undefined ? Object.values(params)[0] : params[kept.target];
  const target = kept.hashed && named !== undefined ? hashed(named) : named;
  return {
    actor: caller?.name ?? 'anyone',
    subject: caller?.subject ?? null,
    tenants: aheadOf(kept, scope),
    action: name,
    target: target ?? (kept.filter ? null : replica),
    filter: filterOf(kept, call, replica === null),
    correlationId,
  };
}

/** The tenants that a request could affect, before it has run: a filter reaches everything within its scope. */
function aheadOf({ filter }: Audit, { tenants, tenant }: Scope): AuditEntry['tenants'] {
  if (filter) return tenants;
  return tenants === 'all' ? null : [tenant];
}

/** The filter of an audited read is its query. */
function filterOf({ filter }: Audit, { body, query }: Read, isRead: boolean): string | null {
  if (filter) return JSON.stringify(body);
  const asked: object = query ?? {};
  return isRead && Object.keys(asked).length > 0 ? JSON.stringify(asked) : null;
}

/** The tenants that the request turned out to affect. */
function about({ accessTrace }: Pick<AdmittedCall, 'accessTrace'>): Pick<AuditEnd, 'tenants'> {
  const tenants = accessTrace.tenants();
  return tenants === null ? {} : { tenants };
}

function countOf({ count }: Audit, body: unknown): number | null {
  if (count === undefined || count === 1) return count ?? null;
  const members = body as Readonly<Record<string, number | readonly unknown[]>>;
  return count.reduce((sum, name) => {
    const member = members[name] ?? 0;
    return sum + (typeof member === 'number' ? member : member.length);
  }, 0);
}

/**
 * Completes the entry. A failure to write it is only logged: the action is done, and the caller must not be told that it
 * was not.
 */
async function endOf(audit: AuditLog, id: string, end: AuditEnd, log: Log): Promise<void> {
  try {
    await audit.end({ id, end });
  } catch (err) {
    log.error(
      { err, audit: id, ...end },
      'the end of an action could not be written to the audit log',
    );
  }
}

function hashed(subject: string): string {
  return `sha256:${createHash('sha256').update(subject).digest('hex')}`;
}
