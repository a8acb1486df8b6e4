import type { ClaimParams, Claimed, ClaimedJob } from '@millrace/engine';
import { type Question, type Session, type Statement, texts } from '../../database.ts';
import type { Context } from '../context.ts';
import { CLAIM_ALONE, CLAIM_FAIRLY, CLAIM_ONE_SUBQUEUE } from './choose.ts';
import { type TakenRow, REPLAY, jobsOf, paramsOf } from './taking.ts';
import {
  type Look,
  type LookRow,
  type TakenOver,
  createTakeOver,
  look,
  lookOf,
  promote,
} from './tend.ts';

/** The rows that one statement took. */
interface Taken {
  readonly jobs: ClaimedJob[];
  readonly now: number;
  /** More may be claimed at once: the subqueues have more, or others locked what stood there. */
  readonly more: boolean;
  readonly suspects: boolean;
  /** Nothing was taken, since what is due has to be promoted first. */
  readonly isHeldBack: boolean;
  /** Null where the statement did not look. */
  readonly seen: Look | null;
}

const LOOK_EVERY_MS = 1_000;
const PROMOTE_AT_ONCE = 1_000;
/** Subqueues that a fair claim visits per kind. More would cost more than a second claim. */
const SUBQUEUES = { least: 8, most: 256 };
/** Statements of a fair claim that finds subqueues and no job in them: all at their quota, or below the priority wanted. */
const ROUNDS = 50;

// Replicas that share a tenant's quota count its leases one after the other. $1 kind
const LOCK_QUOTA: Statement = {
  name: 'millrace_lock_quota',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.quota'), hashtext($1))`,
};

/** A claim of this handle, which remembers whether there were several subqueues, and where the turns of the tenants stand. */
export function createClaim(context: Context): (params: ClaimParams) => Promise<Claimed> {
  const { database } = context;
  const takeOver = createTakeOver(context);
  const stoppedAt = new Map<string, string>();
  let hasSeveralSubqueues = false;
  let wasFull = false;
  let lookedAt = -Infinity;

  async function claim(params: ClaimParams): Promise<Claimed> {
    if (params.replay === true) return replay(params);
    return params.alone === true ? claimAlone(params) : claimAndTend(params);
  }

  async function claimAndTend(params: ClaimParams): Promise<Claimed> {
    const first = await takePromoted(params);
    const isFull = first.jobs.length >= params.limit;
    wasFull = isFull;
    if (isFull && first.seen === null) return answer(first, NOTHING_TENDED);
    const tended = await tend(params, first.seen).catch((error: unknown) => {
      // Jobs were taken and are leased already, so they must run; the next claim meets the error again.
      if (first.jobs.length === 0) throw error;
      return NOTHING_TENDED;
    });
    if (isFull || !tended.isWorthAnother) return answer(first, tended);
    const second = await take({ ...params, limit: params.limit - first.jobs.length }, true).catch(
      (error: unknown) => {
        if (first.jobs.length === 0) throw error;
        return { ...first, jobs: [], more: true };
      },
    );
    const jobs = [...first.jobs, ...second.jobs];
    return answer({ ...second, jobs, more: second.more || jobs.length >= params.limit }, tended);
  }

  async function takePromoted(params: ClaimParams): Promise<Taken> {
    const first = await take(params, false);
    if (!first.isHeldBack) return first;
    await promote(context, Math.max(PROMOTE_AT_ONCE, params.limit));
    return take(params, true);
  }

  async function tend({ limit, wants }: ClaimParams, found: Look | null): Promise<Tended> {
    const seen = found ?? (await look(context));
    lookedAt = performance.now();
    const isDue = (seen.dueIn ?? 1) <= 0;
    const isExpired = (seen.expiresIn ?? 0) < 0;
    const promoted = isDue ? await promote(context, Math.max(PROMOTE_AT_ONCE, limit)) : 0;
    const taken = isExpired ? await takeOver() : NOTHING_LOST;
    const hasSuspects = wants.some(({ kind }) => taken.suspectKinds.has(kind));
    return { ...taken, seen, hasSuspects, isWorthAnother: promoted > 0 };
  }

  async function take(params: ClaimParams, promoted: boolean): Promise<Taken> {
    const limited = limitedKinds(params);
    if (!hasSeveralSubqueues && limited.length === 0) {
      const taken = await takeOneSubqueue(params, promoted);
      if (taken !== 'several subqueues') return taken;
    }
    return withinQuotas(limited, (session) => takeFairly(session, params, promoted));
  }

  function withinQuotas<T>(
    kinds: readonly string[],
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    if (kinds.length === 0) return work(database);
    return database.transaction(async (session) => {
      for (const kind of kinds) await session.query(LOCK_QUOTA, [kind]);
      return work(session);
    });
  }

  async function takeOneSubqueue(
    params: ClaimParams,
    promoted: boolean,
  ): Promise<Taken | 'several subqueues'> {
    const looks = isToLook();
    const rows = await database.query<OneSubqueueRow>(
      CLAIM_ONE_SUBQUEUE,
      paramsOf(params, [promoted, looks, context.shareLeaseFrom]),
    );
    const [row] = rows;
    if (row?.several === true) {
      hasSeveralSubqueues = true;
      return 'several subqueues';
    }
    const jobs = jobsOf(context, params.claim, rows);
    // None, although some stand there: others hold them at this moment.
    const more = jobs.length >= params.limit || (jobs.length === 0 && row?.waiting === true);
    return { jobs, more, ...readEvery(row, looks) };
  }

  /** Under load, where every claim is full, somebody still has to look for leases that have run out. */
  function isToLook(): boolean {
    return !wasFull || performance.now() - lookedAt > LOOK_EVERY_MS;
  }

  /** Goes on to other subqueues as long as those that were visited had nothing to give. */
  async function takeFairly(
    session: Session,
    params: ClaimParams,
    promoted: boolean,
  ): Promise<Taken> {
    const looks = isToLook();
    const subqueues = Math.min(Math.max(params.limit, SUBQUEUES.least), SUBQUEUES.most);
    for (let round = 1; ; round += 1) {
      const after = params.wants.map(({ kind }) => stoppedAt.get(kind) ?? '');
      const rows = await session.query<FairRow>(
        CLAIM_FAIRLY,
        paramsOf(params, [promoted, texts(after), subqueues, looks]),
      );
      const [row] = rows;
      const jobs = jobsOf(context, params.claim, rows);
      hasSeveralSubqueues = (row?.subqueues ?? 0) > 1;
      for (const [kind, tenant] of tenantsOf(row?.stopped_at)) stoppedAt.set(kind, tenant);
      // None, although some stand there: others hold them at this moment.
      const isContended = jobs.length === 0 && row?.waiting === true;
      const isAround = row?.is_around !== false;
      const more = !isAround || isContended || hasWholeShare(jobs, params.limit, row?.sharing ?? 0);
      if (jobs.length > 0 || isContended || isAround || round >= ROUNDS)
        return { jobs, more, ...readEvery(row, looks) };
    }
  }

  async function claimAlone(params: ClaimParams): Promise<Claimed> {
    const tended = { ...(await tend(params, null)), hasSuspects: false };
    const rows = await withinQuotas(limitedKinds(params), (session) =>
      session.query<TakenRow & EveryRow>(CLAIM_ALONE, paramsOf(params)),
    );
    const jobs = jobsOf(context, params.claim, rows);
    return answer({ jobs, more: false, ...readEvery(rows[0]) }, tended);
  }

  async function replay({ worker, claim: number }: ClaimParams): Promise<Claimed> {
    const rows = await database.query<TakenRow>(REPLAY_CLAIM, [worker, number]);
    const jobs = jobsOf(context, number, rows);
    return answer({ jobs, more: true, ...readEvery(rows[0]) }, NOTHING_TENDED);
  }

  return claim;
}

export const CLAIM_NOTHING: Question = {
  statement: CLAIM_ONE_SUBQUEUE,
  params: paramsOf({ worker: '', claim: 0, wants: [], limit: 0, leaseMs: 0 }, [false, false, 1]),
};

const REPLAY_CLAIM: Statement = { name: 'millrace_claim_replay', text: REPLAY };

interface EveryRow extends Partial<LookRow> {
  readonly now: number;
  readonly suspects?: boolean;
  readonly held_back?: boolean;
}
type OneSubqueueRow = TakenRow & EveryRow & { several: boolean; waiting: boolean };
type FairRow = TakenRow &
  EveryRow & {
    subqueues: number;
    /** How many tenants the limit was divided by. */
    sharing: number;
    is_around: boolean;
    waiting: boolean;
    stopped_at: string | null;
  };

/** In one order for all replicas, so that two never wait for each other. */
function limitedKinds({ wants }: ClaimParams): string[] {
  return wants.flatMap((want) => (want.tenantLimit === undefined ? [] : [want.kind])).toSorted();
}

function readEvery(
  row: EveryRow | undefined,
  looks = false,
): Pick<Taken, 'now' | 'suspects' | 'isHeldBack' | 'seen'> {
  return {
    now: row?.now ?? 0,
    suspects: row?.suspects === true,
    isHeldBack: row?.held_back === true,
    seen: looks
      ? lookOf({ due_in: row?.due_in ?? null, expires_in: row?.expires_in ?? null })
      : null,
  };
}

/** A tenant that gave all of its share may have more. */
function hasWholeShare(jobs: readonly ClaimedJob[], limit: number, tenants: number): boolean {
  if (jobs.length === 0 || jobs.length >= limit) return jobs.length >= limit;
  const share = Math.floor(limit / tenants);
  const given = new Map<string, number>();
  for (const { tenant } of jobs) given.set(tenant, (given.get(tenant) ?? 0) + 1);
  return [...given.values()].some((count) => count >= share);
}

function tenantsOf(text: string | null | undefined): [string, string][] {
  return text == null ? [] : Object.entries(JSON.parse(text) as Record<string, string>);
}

interface Tended extends TakenOver {
  readonly seen: Look;
  readonly hasSuspects: boolean;
  readonly isWorthAnother: boolean;
}
const NOTHING_LOST: TakenOver = {
  lost: [],
  takenOver: 0,
  takenFrom: [],
  suspectKinds: new Set(),
};
const NOTHING_TENDED: Tended = {
  ...NOTHING_LOST,
  seen: { dueIn: null, expiresIn: null },
  hasSuspects: false,
  isWorthAnother: false,
};

function answer({ jobs, now, more, suspects }: Taken, tended: Tended): Claimed {
  const { lost, takenOver, takenFrom, seen, hasSuspects } = tended;
  return {
    jobs,
    now,
    lost,
    takenOver,
    takenFrom,
    more,
    suspects: suspects || hasSuspects,
    nextDueMs: nextDueMs(seen),
  };
}

/** A lease that its worker does not renew is over one millisecond after its end. */
function nextDueMs({ dueIn, expiresIn }: Look): number | null {
  const next = Math.min(dueIn ?? Infinity, (expiresIn ?? Infinity) + 1);
  return next === Infinity ? null : Math.max(0, next);
}
