import { createHash } from 'node:crypto';
import type { Audit, Contract } from '@millrace/api';
import type { Log } from '@millrace/engine';
import type { AuditEnd, AuditEntry, AuditLog } from '@millrace/store-postgres';
import type { Call, Handler } from './handler.ts';

/** Writes down what is about to be done, does it, and writes down how it ended. */
export function audited(
  name: string,
  { audit: kept }: Contract,
  handler: Handler<Contract>,
  audit: AuditLog,
  replica: string,
): Handler<Contract> {
  if (kept === undefined) return handler;
  return async (call) => {
    const id = await audit.begin({ entry: entryOf(name, kept, call, replica) });
    const end = (outcome: AuditEnd) => endOf(audit, id, outcome, call.log);
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

function entryOf(name: string, kept: Audit, call: Call, replica: string): AuditEntry {
  const params: Readonly<Record<string, string>> = call.params ?? {};
  const named = kept.target === undefined ? undefined : params[kept.target];
  const target = kept.hashed && named !== undefined ? hashed(named) : named;
  return {
    actor: call.caller?.name ?? 'anyone',
    subject: call.caller?.subject ?? null,
    action: name,
    target: target ?? (kept.filter ? null : replica),
    filter: kept.filter ? JSON.stringify(call.body) : null,
    correlationId: call.correlationId,
  };
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
 * Completes the entry. A failure to write it is only logged: the act is done, and the caller must not be told that it
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
