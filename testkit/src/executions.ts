import { type JobContext, type Progress, toJsonText } from '@millrace/engine';
import type { Violations } from './invariants.ts';
import type { Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';
import type { ProcessClock } from './virtual-clock.ts';

/** What the log has to know of the process that a handler runs in. */
export interface Host {
  readonly name: string;
  readonly clock: ProcessClock;
  /** How many handlers may run at once: of a kind, and of the pool that has the kind. */
  limitsOf(kind: string): { kind: number; pool: number; together: readonly string[] };
}

/** One run of a handler, as it tells it itself. */
export interface Execution {
  readonly host: Host;
  readonly id: string;
  readonly epoch: number;
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
  /** What it told last, and when, by true time. */
  readonly told: { readonly progress: Progress; readonly at: number } | null;
  /** True time. */
  readonly endedAt: number | null;
  readonly ended: string | null;
  readonly suspended: boolean;
  /** What it returned as done. */
  readonly result: string | null;
}

export interface Executions {
  begin(host: Host, kind: string, context: JobContext, attempt: number): Execution;
  readonly all: readonly Execution[];
  of(id: string, epoch: number): Execution | undefined;
  /** Handlers of these kinds at work in the process, without those that were told to stop. */
  active(host: Host, kinds: readonly string[]): number;
  /** Those that keep a place, also while they are being stopped. */
  placed(host: Host, kinds: readonly string[]): number;
}

export function createExecutions(params: {
  ledger: Ledger;
  violations: Violations;
  trace: Trace;
  trueNow: () => number;
  storeNow: () => number;
}): Executions {
  const { ledger, violations, trace, trueNow, storeNow } = params;
  const all: Execution[] = [];
  const open = new Set<Execution>();
  const byLease = new Map<string, Execution>();

  /** By the store's clock: the lease is the newest and has not ended. */
  function holds(id: string, epoch: number): boolean {
    const record = ledger.jobs.get(id);
    return record?.state === 'PROCESSING' && record.epoch === epoch && storeNow() <= record.until;
  }

  /** All that became due in a freeze happens at the thaw, in order, and the watch over the leases is one of many. */
  function isWaking({ clock }: Host): boolean {
    return clock.thawedAt === trueNow();
  }

  function isActive(execution: Execution): boolean {
    if (execution.ended !== null || execution.signal.aborted) return false;
    return !execution.suspended || holds(execution.id, execution.epoch);
  }

  function count(
    host: Host,
    kinds: readonly string[],
    counts: (execution: Execution) => boolean,
  ): number {
    let sum = 0;
    for (const each of open)
      if (each.host === host && kinds.includes(each.kind) && counts(each)) sum += 1;
    return sum;
  }

  function active(host: Host, kinds: readonly string[]): number {
    return count(host, kinds, isActive);
  }

  function begin(host: Host, kind: string, context: JobContext, attempt: number): Execution {
    const { id, epoch } = context.lease;
    const { signal } = context;
    let ended: string | null = null;
    let result: string | null = null;
    let suspended = false;
    let last: Execution['told'] = null;
    let endedAt: number | null = null;
    const name = `${id}!${epoch}`;
    const execution: Execution = {
      host,
      id,
      epoch,
      kind,
      signal,
      act() {
        if (holds(id, epoch) || signal.aborted || isWaking(host)) return;
        const record = ledger.jobs.get(id);
        const late = storeNow() - (record?.until ?? 0);
        const why =
          record?.epoch === epoch
            ? `its lease ended ${late} ms ago`
            : `!${record?.epoch} has the job`;
        violations.add(
          'selfFencing',
          `${name} (${kind}) acts in ${host.name}, but ${why} (${record?.state})`,
        );
      },
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
        open.delete(execution);
        trace.add(host.name, `${name} ${kind} ${how}`);
      },
      get told() {
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
    const other = byLease.get(name);
    violations.expect(
      other === undefined,
      'oneLease',
      () => `${name} begins in ${host.name}, and began in ${other?.host.name} before`,
    );
    all.push(execution);
    open.add(execution);
    byLease.set(name, execution);
    trace.add(host.name, `${name} ${kind} begins, attempt ${attempt}`);
    execution.act();
    checkLimits(execution);
    return execution;
  }

  function checkLimits({ host, kind }: Execution): void {
    const limits = host.limitsOf(kind);
    const ofKind = active(host, [kind]);
    const ofPool = active(host, limits.together);
    violations.expect(
      ofKind <= limits.kind,
      'concurrency',
      () => `${ofKind} ${kind} run in ${host.name}; ${limits.kind} may`,
    );
    violations.expect(
      ofPool <= limits.pool,
      'concurrency',
      () => `${ofPool} jobs run in a pool of ${host.name}; ${limits.pool} may`,
    );
  }

  return {
    begin,
    all,
    of: (id, epoch) => byLease.get(`${id}!${epoch}`),
    active,
    placed: (host, kinds) => count(host, kinds, ({ id, epoch }) => holds(id, epoch)),
  };
}
