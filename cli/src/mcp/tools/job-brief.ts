import type { Job, JobSummary } from '@millrace/api';
import { json, limited, plain, present, quoted } from '../text.ts';

/** Data and result of one job; the rest is a download away. */
const MOST_VALUE = 4_000;
const MOST_STACK = 1_000;
const LAST_EXECUTIONS = 3;
const LAST_LINES = 20;
const FIRST_CHILDREN = 20;

/** One line of a list. */
export function jobLine(job: JobSummary): string {
  const { id, state, kind, tenant, attempt, maxAttempts, createdAt, progress, error } = job;
  return [
    `${id} ${state} ${kind}`,
    ...(tenant === '' ? [] : [`tenant ${tenant}`]),
    `attempt ${attempt}/${maxAttempts}`,
    `made ${createdAt}`,
    ...(progress === null ? [] : [`done ${progress.done}${ofTotal(progress.total)}`]),
    ...(job.cancelRequested ? ['asked to stop'] : []),
    ...(error === null ? [] : [`${error.code} ${quoted(error.message)}`]),
  ].join(', ');
}

function ofTotal(total: number | undefined): string {
  return total === undefined ? '' : ` of ${total}`;
}

export function jobBrief(job: JobSummary): Record<string, unknown> {
  const { id, state, kind, tenant, attempt, maxAttempts, createdAt, runAt } = job;
  return present({
    id,
    state,
    kind,
    tenant,
    attempt,
    maxAttempts,
    createdAt,
    runAt: state === 'QUEUED' ? runAt : null,
    startedAt: job.startedAt,
    finishedAt: job.finishedAt,
    cancelRequested: job.cancelRequested || null,
    progress: job.progress && { ...job.progress, note: plain(job.progress.note ?? '') },
    error: errorBrief(job.error),
    submitter: job.submitter,
  });
}

function errorBrief(error: JobSummary['error']): object | null {
  return error && { ...error, message: plain(error.message, 1_000) };
}

/** The informative fields of one job; large values are cut. */
export function jobDetail(job: Job): Record<string, unknown> {
  const executions = job.executions.slice(-LAST_EXECUTIONS).map((execution) =>
    present({
      attempt: execution.attempt,
      outcome: execution.outcome,
      startedAt: execution.startedAt,
      endedAt: execution.endedAt,
      worker: execution.worker,
      error: errorBrief(execution.error),
      stack: plain(execution.stack ?? '', MOST_STACK),
    }),
  );
  const log = (job.log ?? job.executions.at(-1)?.log ?? []).slice(-LAST_LINES);
  return present({
    ...jobBrief(job),
    key: job.key,
    schedule: job.schedule,
    correlationId: job.correlationId,
    parents: job.parents,
    children: job.children.length === 0 ? null : job.children.slice(0, FIRST_CHILDREN),
    data: limited(job.data, MOST_VALUE),
    result: limited(job.result, MOST_VALUE),
    executions: executions.length === 0 ? null : executions,
    log: log.length === 0 ? null : log.map((line) => ({ ...line, message: plain(line.message) })),
  });
}

/** The same in lines. */
export function jobLines(job: Job): string[] {
  const {
    data,
    result,
    executions = [],
    log = [],
    children = [],
  } = jobDetail(job) as {
    data?: unknown;
    result?: unknown;
    executions?: readonly object[];
    log?: readonly { at: string; level: string; message: string }[];
    children?: Job['children'];
  };
  return [
    jobLine(job),
    `data: ${json(data ?? null, MOST_VALUE)}`,
    ...(result === undefined ? [] : [`result: ${json(result, MOST_VALUE)}`]),
    ...executions.map((each) => `execution: ${json(each, MOST_VALUE)}`),
    ...log.map(({ at, level, message }) => `log: ${at} ${level} ${JSON.stringify(message)}`),
    ...children.map(({ id, kind, state }) => `child: ${id} ${state} ${kind}`),
  ];
}
