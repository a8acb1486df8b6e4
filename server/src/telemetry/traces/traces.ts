import type { Tracer } from '@opentelemetry/api';
import type { Sampling } from './sampling.ts';
import type { TraceContext } from './trace-context.ts';

/** Dependencies for creating spans. */
export interface Traces {
  readonly tracer: Tracer;
  readonly sampling: Sampling;
  readonly context: TraceContext;
  /** Cuts secrets out of what is reported. */
  readonly mask: (text: string) => string;
}
