import type { ClaimParams, Want } from '@millrace/engine';
import { type JobRow, type Transaction, keyOf } from './data.ts';
import { comesFirst, priorityOf, running } from './rows.ts';

/**
 * Which due jobs a claim takes. Every (kind, tenant) with due jobs is a lane. A lane gives at most its
 * tenant's equal share of one claim, so a tenant with a long queue never has a whole batch to itself;
 * priority orders the work of one tenant, over all its kinds, never that of one against another's.
 */
export interface Choice {
  readonly chosen: JobRow[];
  /** Due jobs stayed behind that this caller could have had with more slots. */
  readonly left: boolean;
  /** Until the next of the wanted jobs is due. */
  readonly nextDueMs: number | null;
}

interface Lane {
  readonly tenant: string;
  readonly due: JobRow[];
  /** How many more may run: the tenant's limit less what runs already. */
  readonly room: number;
}

export function choose(tx: Transaction, params: ClaimParams): Choice {
  const wants = openWants(tx, params.wants);
  const wanted = [...tx.data.queued.values()].filter(
    (row) =>
      wants.has(row.kind) &&
      (params.minPriority === undefined || priorityOf(row) >= params.minPriority),
  );
  const lanes = lanesOf(tx, wants, wanted);
  const share = Math.ceil(params.limit / new Set(lanes.map(({ tenant }) => tenant)).size);
  const offered = lanes.flatMap(({ due, room }) =>
    due.toSorted(comesFirst).slice(0, Math.min(share, room)),
  );
  const chosen = take(inTurns(tx, wants, offered), wants, params.limit);
  const claimable = lanes.reduce((sum, { due, room }) => sum + Math.min(due.length, room), 0);
  return { chosen, left: claimable > chosen.length, nextDueMs: nextDueMs(wanted, tx.now) };
}

function openWants(tx: Transaction, wants: readonly Want[]): ReadonlyMap<string, Want> {
  const open = wants.filter(
    ({ kind, limit }) => limit > 0 && tx.data.paused.get(kind) === undefined,
  );
  return new Map(open.map((want) => [want.kind, want]));
}

/** A lane whose tenant is at its limit gives nothing, so it takes no share from the others. */
function lanesOf(
  tx: Transaction,
  wants: ReadonlyMap<string, Want>,
  wanted: readonly JobRow[],
): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const row of wanted) {
    if (row.runAt > tx.now) continue;
    const key = keyOf(row.kind, row.tenant);
    const { tenant } = row;
    const lane = lanes.get(key) ?? {
      tenant,
      due: [],
      room: roomOf(tx, wants.get(row.kind), row.tenant),
    };
    lane.due.push(row);
    lanes.set(key, lane);
  }
  return [...lanes.values()].filter(({ room }) => room > 0);
}

function roomOf(tx: Transaction, want: Want | undefined, tenant: string): number {
  if (want?.tenantLimit === undefined) return Infinity;
  return want.tenantLimit - running(tx.data, want.kind, tenant);
}

/**
 * Whose turn it is: the tenant with the least running comes first. Shares alone are not enough, since a
 * busy worker claims slot by slot, and of one slot no share can be given to two.
 */
function inTurns(
  tx: Transaction,
  wants: ReadonlyMap<string, Want>,
  offered: readonly JobRow[],
): JobRow[] {
  const turns = new Map<string, number>();
  const seats = offered.toSorted(comesFirst).map((row) => {
    const turn = turns.get(row.tenant) ?? runningOfTenant(tx, wants, row.tenant);
    turns.set(row.tenant, turn + 1);
    return { row, turn };
  });
  return seats
    .toSorted((a, b) => a.turn - b.turn || comesFirst(a.row, b.row))
    .map(({ row }) => row);
}

function runningOfTenant(
  tx: Transaction,
  wants: ReadonlyMap<string, Want>,
  tenant: string,
): number {
  return [...wants.keys()].reduce((sum, kind) => sum + running(tx.data, kind, tenant), 0);
}

function take(rows: readonly JobRow[], wants: ReadonlyMap<string, Want>, limit: number): JobRow[] {
  const taken = new Map<string, number>();
  const chosen: JobRow[] = [];
  for (const row of rows) {
    const ofKind = taken.get(row.kind) ?? 0;
    if (chosen.length >= limit) break;
    if (ofKind >= (wants.get(row.kind)?.limit ?? 0)) continue;
    taken.set(row.kind, ofKind + 1);
    chosen.push(row);
  }
  return chosen.toSorted(comesFirst);
}

function nextDueMs(wanted: readonly JobRow[], now: number): number | null {
  const next = wanted.reduce(
    (least, { runAt }) => (runAt > now ? Math.min(least, runAt) : least),
    Infinity,
  );
  return next === Infinity ? null : next - now;
}
