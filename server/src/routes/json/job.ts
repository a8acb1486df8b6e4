import { iso, isoOrNull } from '@millrace/workload-kit';
import type {
  Execution as ExecutionJson,
  Job as JobJson,
  JobFilter,
  JobSummary as SummaryJson,
} from '@millrace/api';
import {
  type Execution,
  type Filter,
  type Job,
  type JobSummary,
  type JsonText,
  WEBHOOK_KIND,
} from '@millrace/engine';
import { defined } from '@millrace/workload-kit';

export function summaryJson(job: JobSummary): SummaryJson {
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
    webhook: job.webhook && hostOf(job.webhook),
    parents: job.parents,
    schedule: job.schedule,
  };
}

/** `whole`: for whoever may act on it. Others see of a webhook where it goes, not the token that its address may hold. */
export function jobJson(job: Job, children: readonly JobSummary[], whole: boolean): JobJson {
  const data = withoutPassword(valueOf(job.payload));
  return {
    ...summaryJson(job),
    ...(whole && { webhook: job.webhook }),
    data: whole || job.kind !== WEBHOOK_KIND ? data : withHostOnly(data),
    result: valueOf(job.result),
    cursor: valueOf(job.cursor),
    executions: job.executions.map(executionJson),
    children: children.map(({ id, kind, state }) => ({ id, kind, state })),
  };
}

function executionJson({ startedAt, endedAt, ...execution }: Execution): ExecutionJson {
  return { ...execution, startedAt: iso(startedAt), endedAt: iso(endedAt) };
}

/** Bulk actions have `all` beside the filter: it has said what it had to. */
export function filterOf(given: JobFilter & { readonly all?: true | undefined }): Filter {
  const { state, kind, tenant, key, correlationId, errorCode } = given;
  const createdAfter = msOrUndefined(given.createdAfter);
  const createdBefore = msOrUndefined(given.createdBefore);
  return defined({
    state,
    kind,
    tenant,
    key,
    correlationId,
    errorCode,
    createdAfter,
    createdBefore,
  });
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

function msOrUndefined(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '***';
}

/** What the job that tells a webhook was given. */
function withHostOnly(data: unknown): unknown {
  return isObject(data) && typeof data['url'] === 'string'
    ? { ...data, url: hostOf(data['url']) }
    : data;
}

/** The password of a PDF is for whoever has the PDF, not for whoever may see the job. */
function withoutPassword(data: unknown): unknown {
  if (!isObject(data) || !isObject(data['pdf']) || !('password' in data['pdf'])) return data;
  return { ...data, pdf: { ...data['pdf'], password: '***' } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
