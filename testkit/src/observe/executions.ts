import { type JobContext, type Lease, type Progress, toJsonText } from '@millrace/engine';
import type { Violations } from './invariants.ts';
import { type Ledger, heldBy, nameOfLease } from './ledger.ts';
import type { Trace } from '../trace.ts';
import type { ProcessClock } from '../time/virtual-clock.ts';

/** What the log has to know of the process that a handler runs in. */
export interface Host {
  readonly name: string;
  readonly clock: ProcessClock;
  /** How many handlers may run at once: of a kind, and of the pool that has the kind. */
  limitsOf(kind: string): { kind: number; pool: number; together: readonly string[] };
}

/** One run of a handler, as it tells it itself. */
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
  of(lease: Lease): Execution | undefined;
  /** Handlers of these kinds at work in the process, without those that were told to stop. */
  active(host: Host, kinds: readonly string[]): number;
  /** Those that keep a place, also while they are being stopped. */
  placed(host: Host, kinds: readonly string[]): number;
  /** The handler with this lease ends its process. */
  kills(host: Host, lease: Lease): void;
  /** The store is about to lose its last commits: workers believe in the leases of before until they hear otherwise. */
  failOver(): void;
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

  /** Until when leases lasted that a fail-over has undone. */
  const undone = new Map<string, number>();

  /** By the store's clock: the lease is the newest and has not ended. */
  function holds(lease: Lease): boolean {
    const record = heldBy(ledger.jobs.get(lease.id), lease);
    if (record !== null && storeNow() <= record.until) return true;
    return storeNow() <= (undone.get(nameOfLease(lease)) ?? -Infinity);
  }

  /** All that became due in a freeze happens at the thaw, in order, and the watch over the leases is one of many. */
  function isWaking({ clock }: Host): boolean {
    return clock.thawedAt === trueNow();
  }

  function isActive(execution: Execution): boolean {
    if (execution.ended !== null || execution.signal.aborted) return false;
    return !execution.suspended || holds(execution);
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
    const { id, epoch, claim } = context.lease;
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
      claim,
      kind,
      signal,
      act() {
        if (holds(execution) || signal.aborted || isWaking(host)) return;
        const record = ledger.jobs.get(id);
        const late = storeNow() - (record?.until ?? 0);
        const why =
          heldBy(record, execution) !== null
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
    const other = byLease.get(nameOfLease(execution));
    violations.expect(
      other === undefined,
      'oneLease',
      () => `${name} begins in ${host.name}, and began in ${other?.host.name} before`,
    );
    all.push(execution);
    open.add(execution);
    byLease.set(nameOfLease(execution), execution);
    trace.add(host.name, `${name} ${kind} begins, attempt ${attempt}`);
    execution.act();
    checkLimits(execution);
    checkAlone(execution);
    return execution;
  }

  /** Whoever begins while a suspect runs, or beside whom a suspect begins, would be blamed or killed for the other. */
  function checkAlone(begun: Execution): void {
    for (const other of open) {
      if (other === begun || other.host !== begun.host || !isActive(other)) continue;
      violations.expect(
        !isSuspect(begun) && !isSuspect(other),
        'alone',
        () => `${begun.id} (${begun.kind}) begins in ${begun.host.name} beside ${other.id}`,
      );
    }
  }

  function isSuspect(execution: Execution): boolean {
    return heldBy(ledger.jobs.get(execution.id), execution)?.suspect === true;
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
    of: (lease) => byLease.get(nameOfLease(lease)),
    active,
    placed: (host, kinds) => count(host, kinds, holds),
    kills: (host, lease) => void ledger.killers.set(host.name, nameOfLease(lease)),
    failOver() {
      for (const record of ledger.leased) undone.set(nameOfLease(record), record.until);
    },
  };
}
