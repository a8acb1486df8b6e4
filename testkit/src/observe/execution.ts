import { type JobContext, type Lease, type Progress, toJsonText } from '@millrace/engine';
import type { ProcessClock } from '../time/virtual-clock.ts';

/** The process that a handler runs in, as far as the log has to know it. */
export interface Host {
  readonly name: string;
  readonly clock: ProcessClock;
  /** How many handlers may run at once: of a kind, and of the pool that has the kind. */
  limitsOf(kind: string): { kind: number; pool: number; together: readonly string[] };
}

/** One run of a handler, in its own account. */
export interface Execution extends Lease {
  readonly host: Host;
  readonly kind: string;
  readonly signal: AbortSignal;
  /** Does something to the world: it must still have the right to. */
  act(): void;
  /** Around a yield: between two chunks the engine may let go of the handler. */
  suspend(): void;
  resume(): void;
  /** Passes it on to the engine, and remembers it. */
  progress(progress: Progress): void;
  end(how: string, result?: unknown): void;
  /** Its last report and the moment of it, by true time. */
  readonly reported: { readonly progress: Progress; readonly at: number } | null;
  /** True time. */
  readonly endedAt: number | null;
  readonly ended: string | null;
  readonly suspended: boolean;
  /** The result that it returned as done. */
  readonly result: string | null;
}

export function createExecution(params: {
  host: Host;
  kind: string;
  context: JobContext;
  trueNow: () => number;
  onAct: (execution: Execution) => void;
  onEnd: (execution: Execution, how: string) => void;
}): Execution {
  const { host, kind, context, trueNow, onAct, onEnd } = params;
  const { id, epoch, claim } = context.lease;
  let ended: string | null = null;
  let result: string | null = null;
  let suspended = false;
  let last: Execution['reported'] = null;
  let endedAt: number | null = null;

  const execution: Execution = {
    host,
    id,
    epoch,
    claim,
    kind,
    signal: context.signal,
    act: () => onAct(execution),
    suspend() {
      suspended = true;
    },
    resume() {
      suspended = false;
    },
    progress(progress) {
      last = { progress, at: trueNow() };
      context.progress(progress);
    },
    end(how, value) {
      ended = how;
      endedAt = trueNow();
      suspended = false;
      if (how === 'done') result = toJsonText(value ?? null, 'result');
      onEnd(execution, how);
    },
    get reported() {
      return last;
    },
    get endedAt() {
      return endedAt;
    },
    get ended() {
      return ended;
    },
    get suspended() {
      return suspended;
    },
    get result() {
      return result;
    },
  };
  return execution;
}
