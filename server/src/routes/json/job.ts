import { iso, isoOrNull } from '@millrace/workload-kit';
import type {
  Execution as ExecutionJson,
  Job as JobJson,
  JobSummary as SummaryJson,
} from '@millrace/api';
import { type Role, allows } from '@millrace/api';
import {
  type Execution,
  type Job,
  type JobSummary,
  type JsonText,
  type LogLine,
  WEBHOOK_KIND,
} from '@millrace/engine';

/** Paths and queries of webhooks often hold a token: whoever may not act on jobs sees the host alone, and no cursor. */
type Seen = 'all' | 'host';

export function seenBy(caller: { readonly roles: readonly Role[] } | null): Seen {
  return allows('operator', caller?.roles ?? []) ? 'all' : 'host';
}

export function summaryJson(job: JobSummary, seen: Seen): SummaryJson {
  return {
    id: job.id,
    kind: job.kind,
    tenant: job.tenant,
    state: job.state,
    priority: job.priority,
    attempt: job.attempt,
    maxAttempts: job.maxAttempts,
    createdAt: iso(job.createdAt),
    runAt: iso(job.runAt),
    startedAt: isoOrNull(job.startedAt),
    finishedAt: isoOrNull(job.finishedAt),
    worker: job.worker,
    leaseUntil: isoOrNull(job.leaseUntil),
    cancelRequested: job.cancelRequested,
    progress: job.progress,
    error: job.error,
    key: job.key,
    correlationId: job.correlationId,
    submitter: job.submitter,
    subject: job.subject,
    webhook: seen === 'all' || job.webhook === null ? job.webhook : hostOf(job.webhook),
    parents: job.parents,
    schedule: job.schedule,
  };
}

export function jobJson(
  job: Job,
  children: readonly JobSummary[],
  log: readonly LogLine[] | null,
  seen: Seen,
): JobJson {
  const data = withoutPassword(valueOf(job.payload));
  return {
    ...summaryJson(job, seen),
    data: seen === 'host' && job.kind === WEBHOOK_KIND ? withHostOnly(data) : data,
    result: valueOf(job.result),
    // A cursor holds what a job was about to read, such as the key of the last row of a report: whose rows these are, row rules decide.
    cursor: seen === 'all' ? valueOf(job.cursor) : null,
    executions: job.executions.map(executionJson),
    log: logJson(log),
    children: children.map(({ id, kind, state }) => ({ id, kind, state })),
  };
}

function executionJson({ startedAt, endedAt, epoch, log, ...rest }: Execution): ExecutionJson {
  const moments = { startedAt: iso(startedAt), endedAt: iso(endedAt) };
  return { ...rest, ...moments, epoch: epoch ?? null, log: logJson(log ?? null) };
}

function logJson(lines: readonly LogLine[] | null): JobJson['log'] {
  return lines?.map(({ at, ...line }) => ({ ...line, at: iso(at) })) ?? null;
}

/** People may edit the records of a queue, such as RequestJSON__c in Salesforce: what is no JSON is shown as it is. */
function valueOf(text: JsonText | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The password of a PDF is for whoever has the PDF, not for whoever may see the job. */
function withoutPassword(data: unknown): unknown {
  if (!isObject(data) || !isObject(data['pdf']) || !('password' in data['pdf'])) return data;
  return { ...data, pdf: { ...data['pdf'], password: '***' } };
}

/** The job that delivers a webhook has its address in its data. */
function withHostOnly(data: unknown): unknown {
  return isObject(data) && typeof data['url'] === 'string'
    ? { ...data, url: hostOf(data['url']) }
    : data;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '***';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
