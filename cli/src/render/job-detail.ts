import { type Job, failureInWords } from '@millrace/api';
import { STATE_STYLE } from './colour.ts';
import type { Screen } from '../terminal/screen.ts';
import { executionLines } from './executions.ts';
import { type Field, fieldLines, jsonLines } from './fields.ts';
import { progressInWords } from './job-note.ts';
import { count } from './number.ts';
import { lasting, relative } from './time.ts';

/** Everything about one job. `why` is the sentence of the explanation, where there is one. */
export function jobDetail(job: Job, why: string | null, now: number, screen: Screen): string[] {
  const { paint } = screen;
  const { id, kind, state } = job;
  return [
    `${paint('bold', id)}  ${kind}  ${paint(STATE_STYLE[state], state)}`,
    '',
    ...fieldLines([...happening(job, why), ...times(job, now), ...origin(job)], screen),
    ...executionLines(job.executions, screen),
    ...values(job).flatMap(([label, value]) => jsonLines(label, value, paint)),
  ];
}

function happening(job: Job, why: string | null): Field[] {
  const { error, progress } = job;
  const retryable = error?.retryable === true ? 'can be retried' : 'cannot be retried by itself';
  return [
    ['why', why],
    ['error', error && failureInWords(error)],
    ['', error && `(${retryable})`],
    ['progress', progress && progressInWords(progress)],
    ['attempt', `${count(job.attempt)} of ${count(job.maxAttempts)}`],
    ['priority', job.priority === null ? null : String(job.priority)],
    ['cancel', job.cancelRequested && job.finishedAt === null ? 'asked for' : null],
    ['worker', job.worker],
  ];
}

function times(job: Job, now: number): Field[] {
  const { startedAt, finishedAt } = job;
  const took =
    startedAt === null || finishedAt === null
      ? ''
      : `, after ${lasting(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  const at = (moment: string | null) => moment && `${moment}  (${relative(moment, now)})`;
  return [
    ['created', at(job.createdAt)],
    ['runs at', job.state === 'QUEUED' || job.runAt !== job.createdAt ? at(job.runAt) : null],
    ['started', at(startedAt)],
    ['finished', finishedAt && `${finishedAt}  (${relative(finishedAt, now)}${took})`],
    ['lease until', at(job.leaseUntil)],
  ];
}

function origin(job: Job): Field[] {
  const parents = Object.entries(job.parents ?? {}).map(([slot, id]) => `${id} (${slot})`);
  return [
    ['tenant', job.tenant === '' ? null : job.tenant],
    ['key', job.key],
    ['correlation', job.correlationId],
    ['submitter', job.submitter],
    ['subject', job.subject],
    ['webhook', job.webhook],
    ['parents', parents.length === 0 ? null : parents.join(', ')],
    ['schedule', job.schedule],
    ['children', job.children.length === 0 ? null : childrenOf(job)],
  ];
}

const CHILDREN_SHOWN = 10;

function childrenOf({ children }: Job): string {
  const shown = children
    .slice(0, CHILDREN_SHOWN)
    .map((each) => `${each.id} (${each.kind}) ${each.state}`);
  const left = children.length - shown.length;
  return [...shown, ...(left > 0 ? [`… ${count(left)} more, with --json`] : [])].join(', ');
}

function values({ data, result, cursor }: Job): [string, unknown][] {
  const all: [string, unknown][] = [
    ['data', data],
    ['result', result],
    ['cursor', cursor],
  ];
  return all.filter(([, value]) => value !== null && value !== undefined);
}
