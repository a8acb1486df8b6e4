import type { Clock } from '@millrace/engine';
import { ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { recordFailure } from './failure.ts';
import { quietly } from './quietly.ts';
import type { Recorders } from '../metrics/recorders.ts';
import type { Place } from './trace-context.ts';
import type { Traces } from './traces.ts';

/** Something outside, and what is asked of it. Both are words from the code, never an address. */
export interface Dependency {
  readonly dependency: string;
  readonly operation: string;
  /** By default that of the job or request it is called for. */
  readonly correlationId?: string;
  /** Nothing inside asks what runs now, so nothing has to be kept for it. */
  readonly leaf?: boolean;
}

export type Call = <T>(what: Dependency, run: () => Promise<T>) => Promise<T>;

export function measureCalls(recorders: Recorders, clock: Clock, traces: Traces | null): Call {
  return async (what, run) => {
    const { dependency, operation } = what;
    const began = clock.now();
    const traced = traces === null ? null : (quietly(() => begin(what, traces)) ?? null);
    const ended = (outcome: 'ok' | 'error'): void => {
      const attributes = { dependency, operation, outcome };
      recorders.record('dependency_duration_ms', clock.now() - began, attributes);
      traced?.end();
    };
    try {
      const answer = await (traced === null ? run() : traced.inside(run));
      ended('ok');
      return answer;
    } catch (thrown) {
      traced?.failed(thrown);
      ended('error');
      throw thrown;
    }
  };
}

interface TracedCall {
  inside<T>(run: () => Promise<T>): Promise<T>;
  failed(thrown: unknown): void;
  end(): void;
}

/** Part of the current trace. Without one, a trace of its own, if there is room; in one that is not kept, nothing. */
function begin(what: Dependency, traces: Traces): TracedCall | null {
  const { context, sampling, mask } = traces;
  const current = context.current();
  if (current === undefined && !sampling.take(false)) return null;
  if (current !== undefined && !hasRoom(current)) return null;
  const correlationId = what.correlationId ?? current?.correlationId;
  const span = spanOf(what, correlationId, current, traces);
  const opened =
    current === undefined && what.leaf !== true ? context.open(span, correlationId) : null;
  const place = opened?.place ?? (current && { ...current, span, correlationId });
  return {
    inside: (run) =>
      what.leaf === true || place === undefined ? run() : context.inside(place, run),
    failed(thrown) {
      quietly(() => recordFailure(span, thrown, mask));
    },
    end() {
      quietly(() => span.end());
      opened?.close();
    },
  };
}

function hasRoom({ span, room }: Place): boolean {
  if (!span.isRecording() || room.left <= 0) return false;
  room.left -= 1;
  return true;
}

function spanOf(
  { dependency, operation }: Dependency,
  correlationId: string | undefined,
  parent: Place | undefined,
  { tracer }: Traces,
): Span {
  return tracer.startSpan(
    `${dependency} ${operation}`,
    {
      kind: SpanKind.CLIENT,
      attributes: {
        'peer.service': dependency,
        'dependency.name': dependency,
        'dependency.operation': operation,
        ...(correlationId !== undefined && { correlationId }),
      },
    },
    parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent.span),
  );
}
