import type { Events, Registry, Tracing } from '@millrace/engine';
import type { Observed } from './metrics/observe.ts';
import type { Recorders } from './metrics/recorders.ts';
import type { Call } from './traces/trace-calls.ts';
import type { IncomingRequest, RequestTrace } from './traces/trace-requests.ts';

export interface Telemetry extends Recorders {
  /** For the worker. Undefined when traces go nowhere, so that nothing is done for them. */
  readonly tracing: Tracing | undefined;
  /** The W3C traceparent of what runs now. */
  current(): string | undefined;
  /** A call to something outside: always measured, and a span in the current trace. Fails as the call does. */
  readonly call: Call;
  /** A request of ours begins; `traceRequests` calls it for all of them. */
  request(request: IncomingRequest): RequestTrace;
  /** From now on, engine events are counted. */
  watch(events: Events): void;
  /** From now on, these are read whenever someone scrapes. Kinds that the registry does not know are `other`. */
  observe(parts: Observed & { readonly registry: Pick<Registry, 'all'> }): void;
  /** Prometheus text. Never fails: what cannot be read is left out. */
  scrape(): Promise<string>;
  /** Sends what is left, for a few seconds at most, and ends. */
  stop(): Promise<void>;
}
