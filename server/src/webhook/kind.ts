import {
  FINISHED_STATES,
  type Job,
  type JobKind,
  WEBHOOK_KIND,
  defineJob,
  done,
} from '@millrace/engine';
import type { Deliver } from '@millrace/workload-kit';
import { z } from 'zod';

/** Tells a job's end to the URL that was given with it. A job like any other: it survives and is retried. */
export function webhookKind(deliver: Deliver): JobKind {
  return defineJob({
    kind: WEBHOOK_KIND,
    input: z.object({
      job: z.string(),
      state: z.enum(FINISHED_STATES),
      url: z.string(),
    }),
    // Eight executions: after 1, 2, 4, … 64 minutes, two hours in all.
    retry: { backoff: 'exponential', retries: 7, base: '1m', max: '4h', jitter: 0.2 },
    timeout: '30s',
    concurrency: 10,
    async run({ id, data, createdAt, correlationId, parents }, context) {
      const job = await context.get(data.job);
      const body = {
        id: data.job,
        kind: job?.kind ?? Object.keys(parents)[0] ?? null,
        state: data.state,
        // The job may have been run again since: then its result is not of the end that this webhook reports, and is
        // left out.
        ...endOf(job?.state === data.state ? job : null),
        correlationId,
      };
      const { status } = await deliver({
        url: data.url,
        // The id is the same over all tries, so that receivers can drop a repetition. It has the creation time in it,
        // since job ids of another database also count from 1.
        id: `msg_${id}_${createdAt}`,
        body,
        correlationId,
        signal: context.signal,
      });
      return done({ status });
    },
  });
}

function endOf(job: Job | null) {
  return {
    result: job?.result == null ? null : (JSON.parse(job.result) as unknown),
    error: job?.error ?? null,
    finishedAt: job?.finishedAt == null ? null : new Date(job.finishedAt).toISOString(),
  };
}
