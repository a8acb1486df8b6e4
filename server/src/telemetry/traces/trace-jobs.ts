import type { ClaimedJob, Tracing } from '@millrace/engine';
import { ROOT_CONTEXT, type Span, SpanKind } from '@opentelemetry/api';
import { recordFailure } from './failure.ts';
import { quietly } from './quietly.ts';
import { isSampled, remoteContext } from './trace-context.ts';
import type { Traces } from './traces.ts';

type Ended = Awaited<ReturnType<Tracing['around']>>;

/**
 * A span around each sampled execution of a job, the root of a trace of its own. The trace of who enqueued it is
 * linked, not continued: a job may run hours later, ten times over, and one request can make a thousand of them.
 * As children they would make one trace without an end, kept or dropped as a whole by whoever began it.
 */
export function traceJobs({ tracer, sampling, context, mask }: Traces): Tracing {
  function isWanted({ traceparent }: ClaimedJob): boolean {
    if (sampling.isSpent()) return false;
    const origin = remoteContext(traceparent);
    return sampling.take(origin !== null && isSampled(origin));
  }

  function begin({ kind, id, attempt, tenant, correlationId, traceparent }: ClaimedJob): Span {
    const origin = remoteContext(traceparent);
    return tracer.startSpan(
      `run ${kind}`,
      {
        kind: SpanKind.CONSUMER,
        links: origin === null ? [] : [{ context: origin }],
        attributes: {
          'job.id': id,
          'job.kind': kind,
          'job.attempt': attempt,
          'job.tenant': tenant,
          correlationId: correlationId ?? id,
        },
      },
      ROOT_CONTEXT,
    );
  }

  async function traced(job: ClaimedJob, run: () => Promise<Ended>): Promise<Ended> {
    await turn();
    const span = quietly(() => begin(job));
    if (span === undefined) return run();
    const trace = context.open(span, job.correlationId ?? job.id);
    try {
      const ended = await context.inside(trace.place, run);
      quietly(() => tell(span, ended));
      return ended;
    } finally {
      quietly(() => span.end());
      trace.close();
    }
  }

  function tell(span: Span, ended: Ended): void {
    if (ended.type === 'returned') span.setAttribute('job.outcome', ended.outcome.type);
    else if (ended.type === 'threw') recordFailure(span, ended.thrown, mask);
    else recordFailure(span, new Error('The handler did not end.'), mask);
  }

  return {
    current: context.traceparent,
    // Most executions are not sampled at high rates: not even a promise is made for those.
    around: (job, run) => (isWanted(job) ? traced(job, run) : run()),
  };
}

/**
 * Jobs of one claim begin together, and their promises take turns. A traced one begins in a turn of its own: a short
 * one is over, and the context off again, before the others could be slowed down by it.
 */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
