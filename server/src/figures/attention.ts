import { type Attention, type Budget, type ErrorGroup, type Replica, ownCode } from '@millrace/api';
import { type Schedule, type Scope, hasTenant, nextTick } from '@millrace/engine';
import { iso } from '@millrace/workload-kit';
import type { Present } from './present.ts';
import { THRESHOLDS } from './thresholds.ts';
import { heldKinds } from './waiting.ts';

/** Conditions that need attention, worst first, each with the action that helps. Jobs are limited to the caller's tenants. */
export function attentionOf(params: {
  readonly present: Present;
  readonly scope: Scope;
  readonly groups: readonly ErrorGroup[];
  readonly budgets: readonly Budget[];
  /** Where the window begins. */
  readonly from: number;
  /** Those that this process declares. */
  readonly declared: readonly Pick<Schedule, 'name'>[];
}): Attention[] {
  const { present, scope, groups, budgets, from, declared } = params;
  const found = [
    ...silentReplicas(present),
    ...grownGroups(groups, from),
    ...unknownKinds(present, scope),
    ...oldJobs(present, scope),
    ...pausedKinds(present, scope),
    ...heldReplicas(present),
    ...budgetsUsed(budgets),
    ...stoppedSchedules(present, declared),
  ];
  return found.toSorted((a, b) => RANK[a.level] - RANK[b.level] || (b.count ?? 0) - (a.count ?? 0));
}

const RANK: Readonly<Record<Attention['level'], number>> = {
  failed: 0,
  paused: 1,
  retrying: 2,
  queued: 3,
};

function silentReplicas({ replicas }: Present): Attention[] {
  return replicas
    .filter(({ state }) => state === 'silent')
    .map(({ id, seenAt, inFlight }: Replica) => ({
      id: `silent:${id}`,
      level: 'failed',
      title: `Replica ${id} has stopped reporting`,
      detail:
        inFlight === 0
          ? 'It had no jobs when it last reported.'
          : `It had ${jobs(inFlight)} when it last reported; other replicas take over the leases that it does not renew.`,
      since: seenAt,
      count: null,
      link: { replica: id },
      action: 'open_replica',
      target: id,
    }));
}

/** Groups that have something new since the window began. */
function grownGroups(groups: readonly ErrorGroup[], from: number): Attention[] {
  return groups
    .filter(({ counts, lastAt }) => counts.failed > 0 && Date.parse(lastAt) >= from)
    .slice(0, 10)
    .map(({ id, kind, code, cause, counts, firstAt }) => ({
      id: `group:${id}`,
      level: 'failed',
      title: `${jobs(counts.failed)} of ${kind} failed${ownCode({ code }) === null ? '' : `: ${code}`}`,
      detail: cause,
      since: firstAt,
      count: counts.failed,
      link: { kind, errorCode: code, state: 'FAILED', group: id },
      action: 'open_group',
      target: id,
    }));
}

/** Also one that nothing waits for: whoever enqueues the next job would wait for nothing. */
function pausedKinds({ counts, paused }: Present, scope: Scope): Attention[] {
  return paused.map(({ kind, by, since, reason }): Attention => {
    const waiting = dueOf(counts, scope, kind);
    const wait = `${jobs(waiting)} ${waiting === 1 ? 'waits' : 'wait'}.`;
    return {
      id: `paused:${kind}`,
      level: 'paused',
      title: `${kind} is paused`,
      detail: `${waiting === 0 ? 'Nothing waits for it yet.' : wait} ${pausedBy({ by, reason })}`,
      since: iso(since),
      count: waiting,
      link: { kind, state: 'QUEUED' },
      action: 'resume_kind',
      target: kind,
    };
  });
}

/** Paused or drained by somebody, and still there. */
function heldReplicas({ replicas }: Present): Attention[] {
  return replicas.flatMap(({ id, state, wanted, inFlight }): Attention[] => {
    if (wanted === null || state === 'silent' || state === 'stopped') return [];
    return [
      {
        id: `held:${id}`,
        level: 'paused',
        title: `Replica ${id} is ${wanted.state}`,
        detail: `It takes no jobs${inFlight === 0 ? '' : `, and finishes ${jobs(inFlight)}`}. ${pausedBy(wanted)}`,
        since: wanted.since,
        count: null,
        link: { replica: id },
        action: 'open_replica',
        target: id,
      },
    ];
  });
}

/** Jobs wait, and no replica that lives knows their kind: nobody will ever take them. */
function unknownKinds({ counts, replicas, paused }: Present, scope: Scope): Attention[] {
  const isHeld = heldKinds(paused);
  const known = new Set(
    replicas
      .filter(({ state }) => state !== 'silent' && state !== 'stopped')
      .flatMap(({ kinds }) => kinds),
  );
  const waiting = new Set(counts.filter(({ state }) => state === 'QUEUED').map(({ kind }) => kind));
  return [...waiting].flatMap((kind): Attention[] => {
    const due = known.has(kind) || isHeld(kind) ? 0 : dueOf(counts, scope, kind);
    if (due === 0) return [];
    return [
      {
        id: `unknown:${kind}`,
        level: 'failed',
        title: `No replica runs ${kind}`,
        detail: `${jobs(due)} ${due === 1 ? 'waits' : 'wait'}, and no replica that reports knows the kind.`,
        since: null,
        count: due,
        link: { kind, state: 'QUEUED' },
        action: 'open_jobs',
        target: kind,
      },
    ];
  });
}

/** Due for too long, though nothing holds their kind back. */
function oldJobs({ at, subqueues, counts, paused }: Present, scope: Scope): Attention[] {
  const { warn, critical } = THRESHOLDS.oldestDueSeconds;
  const isHeld = heldKinds(paused);
  const oldest = new Map<string, number>();
  for (const { kind, tenant, oldestDueAt } of subqueues)
    if (oldestDueAt !== null && hasTenant(scope, tenant) && !isHeld(kind))
      oldest.set(kind, Math.min(oldest.get(kind) ?? Infinity, oldestDueAt));
  return [...oldest].flatMap(([kind, since]): Attention[] => {
    const seconds = (at - since) / 1_000;
    if (seconds < warn) return [];
    const due = dueOf(counts, scope, kind);
    return [
      {
        id: `old:${kind}`,
        level: seconds >= critical ? 'failed' : 'queued',
        title: `${kind} waits for ${minutes(seconds)}`,
        detail: `${jobs(due)} ${due === 1 ? 'is' : 'are'} due, and the oldest has not been taken yet.`,
        since: iso(since),
        count: due,
        link: { kind, state: 'QUEUED' },
        action: 'open_jobs',
        target: kind,
      },
    ];
  });
}

function budgetsUsed(budgets: readonly Budget[]): Attention[] {
  return budgets.flatMap(({ id, name, used, limit, warnAt, stopAt, detail }): Attention[] => {
    if (limit === null || warnAt === null || used < warnAt) return [];
    const isOver = stopAt !== null && used >= stopAt;
    return [
      {
        id: `budget:${id}`,
        level: isOver ? 'failed' : 'retrying',
        title: `${name} at ${Math.round((used / limit) * 100)} %`,
        detail: detail ?? `${used} of ${limit} are used.`,
        since: null,
        count: null,
        link: { budget: id },
        action: 'open_budget',
        target: id,
      },
    ];
  });
}

/** Paused by somebody; or declared by nobody any more, once that has cost a tick. */
function stoppedSchedules(
  { at, schedules }: Present,
  declared: readonly Pick<Schedule, 'name'>[],
): Attention[] {
  const names = new Set(declared.map(({ name }) => name));
  return schedules.flatMap((schedule): Attention[] => {
    const { name, cron, timeZone, lastTick, paused, kind } = schedule;
    if (paused === null && names.has(name)) return [];
    const tick = tickAfter(cron, timeZone, paused?.since ?? lastTick);
    const missed = tick === null || tick > at ? null : iso(tick);
    const thing = {
      id: `schedule:${name}`,
      count: null,
      link: { schedule: name, kind },
      target: name,
    };
    if (paused !== null) {
      const ticks =
        missed === null ? 'No tick was due since.' : `Its ticks since ${missed} were skipped.`;
      return [
        {
          ...thing,
          level: 'paused',
          title: `The schedule ${name} is paused`,
          detail: `${ticks} ${pausedBy(paused)}`,
          since: iso(paused.since),
          action: 'resume_schedule',
        },
      ];
    }
    if (missed === null) return [];
    return [
      {
        ...thing,
        level: 'queued',
        title: `The schedule ${name} is no longer declared`,
        detail: `Its ticks since ${missed} made no job: no job file of this replica declares it.`,
        since: missed,
        action: 'open_schedule',
      },
    ];
  });
}

function tickAfter(cron: string, timeZone: string, after: number): number | null {
  try {
    return nextTick(cron, timeZone, after);
  } catch {
    // Written by another version, with words that this one does not know.
    return null;
  }
}

function dueOf(counts: Present['counts'], scope: Scope, kind: string): number {
  return counts.reduce(
    (sum, each) =>
      each.kind === kind && each.state === 'QUEUED' && hasTenant(scope, each.tenant)
        ? sum + each.count - each.scheduled
        : sum,
    0,
  );
}

/** Says who paused it and why: people want to know before they resume it. */
function pausedBy({ by, reason }: { by: string | null; reason: string | null }): string {
  return `Paused by ${by ?? 'nobody known'}${reason === null ? '' : `: “${reason}”`}.`;
}

function jobs(count: number): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? 'job' : 'jobs'}`;
}

function minutes(seconds: number): string {
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}
