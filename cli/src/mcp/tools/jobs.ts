import { type Job, contracts } from '@millrace/api';
import { CANCELABLE, RETRYABLE, hasEnded } from '../../jobs/ended.ts';
import { few, waiting } from '../input.ts';
import { pollUntil } from '../poll-until.ts';
import { ToolRefusal } from '../refusal.ts';
import { json, more, plain } from '../text.ts';
import { type Call, answer, defineTool } from '../tool.ts';
import { jobBrief, jobDetail, jobLine, jobLines } from './job-brief.ts';

const byId = contracts.getJob.params;

export const listJobs = defineTool({
  name: 'list_jobs',
  title: 'List jobs',
  about: 'Jobs by filter, newest first, one line each.',
  routes: ['listJobs'],
  effect: 'reads',
  input: contracts.listJobs.query.safeExtend({ limit: few }),
  async run({ client, options }, query) {
    const { jobs, next, missing = [] } = await client.listJobs({ query }, options);
    const away =
      missing.length === 0 ? [] : [`Incomplete, these do not answer: ${missing.join(', ')}.`];
    return answer(
      [
        jobs.length === 0 ? 'No matching jobs.' : `Jobs: ${jobs.length}.`,
        ...jobs.map(jobLine),
        ...away,
        ...more(next),
      ],
      { jobs: jobs.map(jobBrief), next, ...(missing.length > 0 && { missing }) },
      { foreign: jobs.length > 0 },
    );
  },
});

export const showJob = defineTool({
  name: 'show_job',
  title: 'Show one job',
  about:
    'One job: state, data, result, its last executions with errors, log and children. Long values are cut; download saves all of it.',
  routes: ['getJob'],
  effect: 'reads',
  input: byId.extend({ wait: waiting(0) }),
  async run(call, { id, wait }) {
    const job = await pollUntil(
      call,
      wait,
      () => call.client.getJob({ params: { id } }, call.options),
      ({ state }) => hasEnded(state),
    );
    return answer(jobLines(job), { job: jobDetail(job) }, { foreign: true });
  },
});

export const explainJob = defineTool({
  name: 'explain_job',
  title: 'Explain a job',
  about: 'Why a job is in its state, what it waits for, and until when.',
  routes: ['explainJob'],
  effect: 'reads',
  input: byId,
  async run({ client, options }, params) {
    const why = await client.explainJob({ params }, options);
    const sentence = plain(why.sentence, 1_000);
    return answer(
      [`${why.id} ${why.state} (${why.reason}): ${JSON.stringify(sentence)}`],
      { ...why, sentence },
      { foreign: true },
    );
  },
});

export const enqueue = defineTool({
  name: 'enqueue',
  title: 'Make a job',
  about:
    'Enqueues a job of a public kind. list_kinds with a name has the schema of its data. Give a key if the call may be repeated.',
  routes: ['enqueue'],
  effect: 'adds',
  input: contracts.enqueue.body,
  async run({ client, options }, body) {
    const made = await client.enqueue({ body }, options);
    const words = made.created ? 'was made' : 'was there already, with the same key';
    return answer([`${made.id} ${words}.`], made);
  },
});

export const retryJob = defineTool({
  name: 'retry_job',
  title: 'Retry a job',
  about:
    'Queues a failed or cancelled job again, with fresh attempts. Passing data replaces the old data and needs a confirmation.',
  routes: ['retryJob', 'getJob'],
  effect: 'destroys',
  input: byId.extend({ data: contracts.retryJob.body.unwrap().shape.data }),
  async run(call, { id, data }) {
    if (data === undefined) return retried(call, id, {});
    const job = await call.client.getJob({ params: { id } }, call.options);
    if (!RETRYABLE.includes(job.state))
      throw new ToolRefusal(
        'illegal_transition',
        `${id} is ${job.state}: only failed and cancelled jobs are retried.`,
      );
    return {
      type: 'foresight',
      question: `Retry the ${job.state} job ${id} of the kind ${job.kind} from the beginning, with new data? Its old data is lost.`,
      lines: [jobLine(job), `old data: ${json(job.data, 1_000)}`, `new data: ${json(data, 1_000)}`],
      data: { job: jobBrief(job) },
      foreign: true,
      async act(now) {
        await sameAs(now, job);
        return retried(now, id, { body: { data } });
      },
    };
  },
});

async function retried({ client, options }: Call, id: string, asked: { body?: { data: unknown } }) {
  const made = await client.retryJob({ params: { id }, ...asked }, options);
  return answer([`${id} is queued again.`], made);
}

export const cancelJob = defineTool({
  name: 'cancel_job',
  title: 'Cancel a job',
  about: 'Cancels one job: a waiting one at once, a running one soon. Needs a confirmation.',
  routes: ['cancelJob', 'getJob'],
  effect: 'destroys',
  input: byId,
  async run({ client, options }, params) {
    const job = await client.getJob({ params }, options);
    const { id, state, kind } = job;
    if (!CANCELABLE.includes(state))
      throw new ToolRefusal('illegal_transition', `${id} is ${state}: there is nothing to cancel.`);
    return {
      type: 'foresight',
      question: `Cancel the ${state} job ${id} of the kind ${kind}?`,
      lines: [jobLine(job)],
      data: { job: jobBrief(job) },
      foreign: true,
      async act(now) {
        await sameAs(now, job);
        const made = await now.client.cancelJob({ params }, now.options);
        const words = made.outcome === 'canceled' ? 'is cancelled' : 'runs, and was asked to stop';
        return answer([`${id} ${words}.`], made);
      },
    };
  },
});

/** Somebody agreed to what they were shown, and to nothing else. */
async function sameAs({ client, options }: Call, { id, state, startedAt }: Job): Promise<void> {
  const now = await client.getJob({ params: { id } }, options);
  if (now.state === state && now.startedAt === startedAt) return;
  const how = now.state === state ? 'was started again' : `was ${state} and is now ${now.state}`;
  throw new ToolRefusal(
    'confirmation_stale',
    `${id} has changed since the question: it ${how}. Nothing was changed. Call again without confirm for a new question.`,
  );
}
