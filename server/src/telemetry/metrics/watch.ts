import type { EventMap, Events } from '@millrace/engine';
import type { Recorders } from './recorders.ts';

/** How an execution ended, in the attribute `outcome` of job_duration_ms. */
const OUTCOMES = {
  'job.succeeded': 'succeeded',
  'job.failed': 'failed',
  'job.retrying': 'retrying',
  'job.deferred': 'deferred',
  'job.canceled': 'canceled',
  'job.handedBack': 'handed_back',
} as const satisfies Partial<Record<keyof EventMap, string>>;

/** Turns engine events into metrics. Each event is subscribed by name: one without a listener is never created. */
export function watchEvents(events: Events, { count, record }: Recorders): () => void {
  const executions = (Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]).map((name) => {
    const outcome = OUTCOMES[name];
    return events.on(name, ({ kind, durationMs }) =>
      record('job_duration_ms', durationMs, { kind, outcome }),
    );
  });
  const others = [
    events.on('job.enqueued', ({ kind, created }) => {
      if (created) count('jobs_enqueued_total', 1, { kind });
    }),
    events.on('job.retrying', ({ kind, attempt, error }) =>
      count('retries_total', 1, { kind, attempt: String(attempt), reason: error.code }),
    ),
    events.on('job.failed', ({ kind, error }) =>
      count('job_failures_total', 1, { kind, reason: error.code }),
    ),
    events.on('job.lost', ({ kind }) =>
      count('job_failures_total', 1, { kind, reason: 'worker_lost' }),
    ),
    events.on('lease.fenced', ({ write }) => count('fenced_writes_total', 1, { write })),
    events.on('lease.takenOver', (event) => count('lease_takeovers_total', event.count)),
    events.on('settle.flushed', ({ size }) => record('settle_batch_size', size)),
  ];
  return () => {
    for (const stop of [...executions, ...others]) stop();
  };
}
