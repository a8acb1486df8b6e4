import { createHash } from 'node:crypto';
import type { Contract, Contracts } from '@millrace/api';
import type { Log } from '@millrace/engine';
import type { AuditEnd, AuditEntry, AuditLog } from '@millrace/store-postgres';
import type { Answer, Answered, Call, Handler, Parsed } from './handler.ts';

/** What of a call is kept: on what it acts, and how many jobs it changed. */
interface Trace<C extends Contract> {
  target?(params: Parsed<C, 'params'>): string;
  filter?(body: Parsed<C, 'body'>): object;
  count?(answer: Answer<C>['body']): number;
}

const ONE = () => 1;

/** Every route that acts on what others have made. A test holds it against the contracts. */
export const AUDITED: { readonly [Name in Answered]?: Trace<Contracts[Name]> } = {
  cancelJob: { target: ({ id }) => id, count: ONE },
  retryJob: { target: ({ id }) => id, count: ONE },
  cancelJobs: {
    filter: (body) => body,
    count: ({ canceled, requested }) => canceled + requested,
  },
  retryJobs: { filter: (body) => body, count: ({ retried }) => retried },
  pauseKind: { target: ({ kind }) => kind },
  resumeKind: { target: ({ kind }) => kind },
  addTemplate: { target: ({ name }) => name },
  deleteTemplate: { target: ({ id }) => id, count: ({ removed }) => removed.length },
  deleteFile: { target: ({ id }) => id },
  cancelBatch: { target: ({ id }) => id, count: ({ canceled }) => canceled },
  correctBatch: { target: ({ id }) => id, count: ({ retried }) => retried },
  retryBatch: { target: ({ id }) => id, count: ({ retried }) => retried },
  stopWorker: {},
  startWorker: {},
  // The log must not keep the very name that was to be forgotten: a hash tells whether it was this one.
  eraseSubject: { target: ({ subject }) => hashed(subject), count: ({ erased }) => erased },
};

/** Writes down what is about to be done, does it, and writes down how it ended. */
export function audited(
  name: Answered,
  handler: Handler<Contract>,
  audit: AuditLog,
  replica: string,
): Handler<Contract> {
  const trace: Trace<Contract> | undefined = AUDITED[name];
  if (trace === undefined) return handler;
  return async (call) => {
    const id = await audit.begin({ entry: entryOf(name, trace, call, replica) });
    const end = (outcome: AuditEnd) => endOf(audit, id, outcome, call.log);
    try {
      const answer = await handler(call);
      const count = trace.count?.(answer.body) ?? null;
      await end({ outcome: 'done', count });
      return answer;
    } catch (error) {
      await end({ outcome: 'refused', count: null });
      throw error;
    }
  };
}

function entryOf(name: Answered, trace: Trace<Contract>, call: Call, replica: string): AuditEntry {
  const filter = trace.filter?.(call.body) ?? null;
  const target = trace.target?.(call.params);
  return {
    actor: call.caller?.name ?? 'anyone',
    action: name,
    target: target ?? (filter === null ? replica : null),
    filter: filter === null ? null : JSON.stringify(filter),
    correlationId: call.correlationId,
  };
}

/** It is done: that its end could not be written is no reason to tell the caller that it was not. */
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
