import type { JobContext, Lease } from '@millrace/engine';
import { type Execution, type Host, createExecution } from './execution.ts';
import type { Violations } from './invariants.ts';
import { type Ledger, heldBy, nameOfLease } from './ledger.ts';
import type { Trace } from '../trace.ts';

export interface Executions {
  begin(host: Host, kind: string, context: JobContext, attempt: number): Execution;
  readonly all: readonly Execution[];
  of(lease: Lease): Execution | undefined;
  /** Handlers of these kinds at work in the process, without those that were asked to stop. */
  active(host: Host, kinds: readonly string[]): number;
  /** Handlers that keep a place, also while they are being stopped. */
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
    const execution = createExecution({ host, kind, context, trueNow, onAct, onEnd });
    const name = nameOf(execution);
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

  /** A handler does something to the world: it must still have the right to. */
  function onAct(execution: Execution): void {
    const { id, kind, host, signal } = execution;
    if (holds(execution) || signal.aborted || isWaking(host)) return;
    const record = ledger.jobs.get(id);
    const late = storeNow() - (record?.until ?? 0);
    const why =
      heldBy(record, execution) !== null
        ? `its lease ended ${late} ms ago`
        : `!${record?.epoch} has the job`;
    violations.add(
      'selfFencing',
      `${nameOf(execution)} (${kind}) acts in ${host.name}, but ${why} (${record?.state})`,
    );
  }

  function onEnd(execution: Execution, how: string): void {
    open.delete(execution);
    trace.add(execution.host.name, `${nameOf(execution)} ${execution.kind} ${how}`);
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

function nameOf({ id, epoch }: Lease): string {
  return `${id}!${epoch}`;
}
