import type { Clock } from '@millrace/engine';
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { quietly } from './quietly.ts';
import type { Recorders } from '../metrics/recorders.ts';
import { type OpenTrace, isSampled, remoteContext } from './trace-context.ts';
import type { Traces } from './traces.ts';

export interface IncomingRequest {
  readonly method: string;
  /** The template of the route. */
  readonly route: string;
  readonly traceparent: string | undefined;
  readonly correlationId: string;
}

export interface RequestTrace {
  /** Runs it, and whatever it starts, as part of the request. */
  inside(run: () => void): void;
  /** Null: the caller left before there was an answer. Only the first call counts. */
  end(status: number | null): void;
}

export function measureRequests(
  recorders: Recorders,
  clock: Clock,
  traces: Traces | null,
): (request: IncomingRequest) => RequestTrace {
  return (request) => {
    const began = clock.now();
    const traced = traces === null ? null : (quietly(() => begin(request, traces)) ?? null);
    let ended = false;
    return {
      inside(run) {
        if (traced === null || traces === null) run();
        else traces.context.inside(traced.place, run);
      },
      end(status) {
        if (ended) return;
        ended = true;
        const { method, route } = request;
        recorders.record('http_request_duration_ms', clock.now() - began, {
          method,
          route,
          status: status === null ? 'aborted' : String(status),
        });
        if (traced === null) return;
        quietly(() => finish(traced.place.span, status));
        traced.close();
      },
    };
  };
}

/**
 * The caller's trace goes on here if it is kept there and there is room here. If not, what the request does is not
 * traced, but jobs that it enqueues still know which trace they come from.
 */
function begin(request: IncomingRequest, { tracer, sampling, context }: Traces): OpenTrace | null {
  const { method, route, correlationId } = request;
  const caller = remoteContext(request.traceparent);
  const remote = caller === null ? null : trace.wrapSpanContext(caller);
  const wanted = caller === null || isSampled(caller);
  if (!wanted || !sampling.take(caller !== null))
    return remote === null ? null : context.open(remote, correlationId);
  const span = tracer.startSpan(
    `${method} ${route}`,
    {
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': method, 'http.route': route, correlationId },
    },
    remote === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, remote),
  );
  return context.open(span, correlationId);
}

function finish(span: Span, status: number | null): void {
  if (status === null) span.setAttribute('error.type', 'aborted');
  else span.setAttribute('http.response.status_code', status);
  // A refusal is the caller's failure, not ours.
  if (status !== null && status >= 500) {
    span.setAttribute('error.type', String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
