import { AsyncLocalStorage } from 'node:async_hooks';
import { type Span, type SpanContext, TraceFlags, isSpanContextValid } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';

/** The current span and its place in the trace. */
export interface TraceContext {
  current(): Place | undefined;
  /** The W3C traceparent of what runs now. */
  traceparent(): string | undefined;
  /** Everything until `close` belongs to the trace, wherever it is awaited. */
  open(span: Span, correlationId: string | undefined): OpenTrace;
  inside<T>(place: Place, run: () => T): T;
}

export interface OpenTrace {
  readonly place: Place;
  close(): void;
}

export interface Place {
  readonly span: Span;
  /** Inherited by everything inside. */
  readonly correlationId: string | undefined;
  /** How many more spans the whole trace may have. */
  readonly room: { left: number };
}

/** A job of ten thousand chunks is one trace, and nobody reads ten thousand spans. */
export const MOST_SPANS = 100;

/**
 * A storage of our own rather than the global one of OpenTelemetry, for it can be switched off: on Node 20 a storage in
 * use slows down every promise of the process, and a job cost 3 µs more of 16. It is in use only while a trace is
 * open, so at high rates, when most executions are not traced, it is off most of the time.
 */
export function createTraceContext(): TraceContext {
  const storage = new AsyncLocalStorage<Place>();
  let open = 0;
  // Since Node 24, what was begun within a trace keeps its place in a storage that is switched off.
  const current = (): Place | undefined => (open === 0 ? undefined : storage.getStore());
  return {
    current,
    traceparent() {
      const place = current();
      return place && traceparentOf(place.span.spanContext());
    },
    open(span, correlationId) {
      open += 1;
      let closed = false;
      return {
        place: { span, correlationId, room: { left: MOST_SPANS } },
        close() {
          if (closed) return;
          closed = true;
          open -= 1;
          if (open === 0) storage.disable();
        },
      };
    },
    // The next `run` switches the storage on again.
    inside: (place, run) => storage.run(place, run),
  };
}

/** A W3C traceparent from elsewhere; null when it is none. */
export function remoteContext(traceparent: string | null | undefined): SpanContext | null {
  const parsed = traceparent == null ? null : parseTraceParent(traceparent);
  return parsed === null ? null : { ...parsed, isRemote: true };
}

export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & TraceFlags.SAMPLED) !== 0;
}

function traceparentOf(context: SpanContext): string | undefined {
  if (!isSpanContextValid(context)) return undefined;
  return `00-${context.traceId}-${context.spanId}-${isSampled(context) ? '01' : '00'}`;
}
