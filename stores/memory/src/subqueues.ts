import type { ClaimParams, Want } from '@millrace/engine';
import { type JobRow, type Transaction, keyOf } from './data.ts';
import { comesFirst, priorityOf, running } from './rows.ts';

/**
 * Chooses the due jobs that a claim takes. Every (kind, tenant) with due jobs is a subqueue. A subqueue gives at most its
 * tenant's equal share of one claim, so a tenant with a long queue never has a whole batch to itself;
 * priority orders the work of one tenant, over all its kinds, never that of one against another's.
 * A suspect is in no subqueue: it is taken alone.
 */
export interface Choice {
  readonly chosen: JobRow[];
  /** Due jobs stayed behind that this caller could have had with more slots. */
  readonly left: boolean;
  /** Suspects stayed behind that this caller could have, one by one. */
  readonly suspects: boolean;
  /** Until the next of the wanted jobs is due. */
  readonly nextDueMs: number | null;
}

interface Subqueue {
  readonly tenant: string;
  /** In their order. */
  readonly due: readonly JobRow[];
  /** How many more may run: the tenant's limit less what runs already. */
  readonly room: number;
}

type Wants = ReadonlyMap<string, Want>;

export function choose(tx: Transaction, params: ClaimParams): Choice {
  const wants = openWants(tx, params.wants);
  const wanted = [...tx.data.queued.values()].filter(
    (row) =>
      wants.has(row.kind) &&
      (params.minPriority === undefined || priorityOf(row) >= params.minPriority),
  );
  const due = wanted.filter(({ runAt }) => runAt <= tx.now);
  const suspects = due.filter(({ suspect }) => suspect).toSorted(comesFirst);
  const subqueues = subqueuesOf(
    tx,
    wants,
    due.filter(({ suspect }) => !suspect),
  );
  const chosen =
    params.alone === true
      ? suspects.filter((row) => roomFor(tx, wants, row) > 0).slice(0, Math.min(1, params.limit))
      : take(tx, subqueues, wants, params.limit);
  const couldBeTaken = (row: JobRow): boolean =>
    !chosen.includes(row) && roomFor(tx, wants, row) > takenOf(row, chosen);
  return {
    chosen,
    left: subqueues.some(({ due: rows }) => rows.some(couldBeTaken)),
    suspects: suspects.some(couldBeTaken),
    nextDueMs: nextDueMs(wanted, tx.now),
  };
}

function openWants(tx: Transaction, wants: readonly Want[]): Wants {
  const open = wants.filter(
    ({ kind, limit }) => limit > 0 && tx.data.paused.get(kind) === undefined,
  );
  return new Map(open.map((want) => [want.kind, want]));
}

/** A subqueue whose tenant is at its limit gives nothing, so it takes no share from the others. */
function subqueuesOf(tx: Transaction, wants: Wants, due: readonly JobRow[]): Subqueue[] {
  const rows = new Map<string, JobRow[]>();
  for (const row of due.toSorted(comesFirst)) {
    const key = keyOf(row.kind, row.tenant);
    const subqueue = rows.get(key);
    if (subqueue === undefined) rows.set(key, [row]);
    else subqueue.push(row);
  }
  return [...rows.values()].flatMap((subqueue) => {
    const [first] = subqueue;
    const room = first === undefined ? 0 : roomFor(tx, wants, first);
    if (first === undefined || room <= 0) return [];
    return [{ tenant: first.tenant, due: subqueue, room }];
  });
}

function roomFor(tx: Transaction, wants: Wants, { kind, tenant }: JobRow): number {
  const limit = wants.get(kind)?.tenantLimit;
  return limit === undefined ? Infinity : limit - running(tx.data, kind, tenant);
}

function takenOf({ kind, tenant }: JobRow, chosen: readonly JobRow[]): number {
  return chosen.filter((row) => row.kind === kind && row.tenant === tenant).length;
}

/** Tenants take turns, each with the first of what its subqueues offer, until the slots or the offers are used up. */
function take(
  tx: Transaction,
  subqueues: readonly Subqueue[],
  wants: Wants,
  limit: number,
): JobRow[] {
  const tenants = new Set(subqueues.map(({ tenant }) => tenant));
  const share = Math.ceil(limit / tenants.size);
  const turns = tx.turns.order(wants.keys(), tenants).map((tenant) =>
    subqueues
      .filter((subqueue) => subqueue.tenant === tenant)
      .flatMap(({ due, room }) => due.slice(0, Math.min(share, room)))
      .toSorted(comesFirst),
  );
  const free = new Map([...wants.values()].map((want) => [want.kind, want.limit]));
  const chosen: JobRow[] = [];
  let hasMore = true;
  while (hasMore && chosen.length < limit) {
    hasMore = false;
    for (const offered of turns) {
      const row = chosen.length < limit ? nextOf(offered, free) : undefined;
      if (row === undefined) continue;
      hasMore = true;
      chosen.push(row);
    }
  }
  const last = chosen.at(-1);
  if (last !== undefined) tx.turns.served(wants.keys(), last.tenant);
  return chosen.toSorted(comesFirst);
}

/** The first whose kind still has slots; those before it are out of this claim. */
function nextOf(offered: JobRow[], free: Map<string, number>): JobRow | undefined {
  for (let row = offered.shift(); row !== undefined; row = offered.shift()) {
    const slots = free.get(row.kind) ?? 0;
    if (slots === 0) continue;
    free.set(row.kind, slots - 1);
    return row;
  }
  return undefined;
}

function nextDueMs(wanted: readonly JobRow[], now: number): number | null {
  const next = wanted.reduce(
    (least, { runAt }) => (runAt > now ? Math.min(least, runAt) : least),
    Infinity,
  );
  return next === Infinity ? null : next - now;
}
