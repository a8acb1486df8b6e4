import type { FailureRecord } from './errors.ts';
import type { JobId } from './job.ts';
import type { TakenFrom } from './port.ts';

/** Everything worth telling, once: logs, metrics, live updates and audit all read from here. */
export interface EventMap {
  'job.enqueued': { id: JobId; kind: string; created: boolean; correlationId: string };
  /** `dueAt`: since when it could have run, by the store's clock; null where the store does not say. */
  'job.started': JobEvent & { dueAt?: number | null };
  'job.succeeded': JobEvent & { durationMs: number };
  'job.failed': JobEvent & { durationMs: number; error: FailureRecord; stack: string | null };
  'job.retrying': JobEvent & {
    durationMs: number;
    error: FailureRecord;
    stack: string | null;
    delayMs: number;
  };
  'job.deferred': JobEvent & { durationMs: number; delayMs: number };
  'job.canceled': JobEvent & { durationMs: number };
  'job.handedBack': JobEvent & { durationMs: number };
  /** The worker went away with the job's last attempt. */
  'job.lost': { id: JobId; kind: string; attempt: number; correlationId: string };
  /** By hand. */
  'jobs.moved': { ids: readonly JobId[]; by: 'cancel' | 'retry' | 'priority' };
  'job.progress': JobEvent & { done: number; total: number | null };
  /** A write was refused, or a handler was stopped before its lease could end. */
  'lease.fenced': {
    id: JobId;
    kind: string;
    correlationId: string;
    write: 'settle' | 'checkpoint' | 'renew' | 'local';
  };
  /** `jobs` and `workers` are the first ten, where the store knows them. */
  'lease.takenOver': {
    count: number;
    jobs: readonly JobId[];
    workers: readonly string[];
    from: readonly TakenFrom[];
  };
  'pool.polled': { pool: string; claimed: number; asked: number };
  'settle.flushed': { size: number };
  'store.failed': { during: string; error: unknown };
  'store.recovered': { during: string };
  'schedule.fired': { schedule: string; tick: number; id: JobId };
  /** `limit`: this tick and those after it were missed, and are more than are made up for at once. */
  'schedule.passed': {
    schedule: string;
    tick: number;
    why: 'missed' | 'overlap' | 'paused' | 'limit';
  };
  'gate.closed': { rule: string; key: string; arrived: Readonly<Record<string, JobId>> };
  'retention.pruned': { count: number };
  /** The event loop stood still for `ms`; `jobs` ran then, or had just begun or ended. */
  'worker.blocked': { ms: number; jobs: readonly { id: JobId; kind: string }[]; more: number };
  'worker.state': { worker: string; state: 'running' | 'paused' | 'stopping' | 'stopped' };
}

export interface JobEvent {
  id: JobId;
  kind: string;
  tenant: string;
  attempt: number;
  correlationId: string;
}

export type EventName = keyof EventMap;

export interface Events {
  on<Name extends EventName>(name: Name, listener: (event: EventMap[Name]) => unknown): () => void;
  /** For what reads everything: a log, a metrics exporter. */
  onAny(listener: <Name extends EventName>(name: Name, event: EventMap[Name]) => void): () => void;
  emit<Name extends EventName>(name: Name, event: EventMap[Name]): void;
  /** For events of every job: whether it is worth making one. */
  wants(name: EventName): boolean;
}

export function createEvents(): Events {
  const listeners = new Map<EventName, Set<(event: never) => unknown>>();
  const anyListeners = new Set<
    <Name extends EventName>(name: Name, event: EventMap[Name]) => void
  >();
  return {
    wants: (name) => anyListeners.size > 0 || (listeners.get(name)?.size ?? 0) > 0,
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => set.delete(listener);
    },
    onAny(listener) {
      anyListeners.add(listener);
      return () => anyListeners.delete(listener);
    },
    emit(name, event) {
      // A listener is an observer: whatever it throws is its own affair, never the job's. So is a promise of it that rejects,
      // which would otherwise end the process and all that runs in it: many listeners are async functions.
      for (const listener of listeners.get(name) ?? []) quietly(() => listener(event as never));
      for (const listener of anyListeners) quietly(() => listener(name, event));
    },
  };
}

function quietly(call: () => unknown): void {
  try {
    const answer = call();
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // see above
  }
}
