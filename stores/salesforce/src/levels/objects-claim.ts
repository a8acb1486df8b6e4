import { randomUUID } from 'node:crypto';
import type { Claimed, ClaimParams, Lost, Want } from '@millrace/engine';
import { SalesforceError, soqlTime } from '@millrace/salesforce';
import { claimedJob, claimIdOf } from './claimed.ts';
import { calling, type Context } from '../context.ts';
import { canceledValues, timeText } from '../settling/ending.ts';
import { tokenOf } from '../records/ids.ts';
import { endRow, type Move, type Moves, nextEpoch, nextRows } from './moves.ts';
import { LIVE } from '../records/names.ts';
import { columns, type Row, rowOf } from '../records/row.ts';
import { answersTo, claimOrder, ofKind, soql } from '../records/select.ts';
import type { Field } from '../records/fields.ts';

const TAKE_OVER_AT_ONCE = 200;
const LONGEST_WORKER = 120;

interface Found {
  readonly expired: Row[];
  readonly due: Row[];
  readonly nextDue: number | null;
  readonly suspects: boolean;
}

/** The claim without Apex: reads candidates, takes over expired leases, takes new ones, and gives what it got. */
export function createObjectsClaim(
  context: Context,
  moves: Moves,
): (params: ClaimParams) => Promise<Claimed> {
  const { salesforce, names, ids } = context;
  const { field } = names;

  return async function claim(params) {
    const wants = params.wants.filter(({ limit }) => limit > 0);
    const said = { correlationId: claimIdOf(params) };
    await moves.forgetOldLeases();
    let found = await look(params, wants);
    const taken = await takeOver(found.expired, said);
    if (taken.count > 0) found = await look(params, wants);

    const limit = params.alone === true ? Math.min(1, params.limit) : params.limit;
    const picked = pick(found.due, wants, limit);
    const [canceled, fresh] = [picked.filter(isCanceled), picked.filter((row) => !isCanceled(row))];
    await moves.make(canceled.map(cancelMove), said);
    const leased = fresh.map((row) => ({
      row: withCorrelation(row),
      epoch: nextEpoch(context, row),
    }));
    const done = await moves.make(
      leased.map((each) => leaseMove(each, params)),
      said,
    );
    const refused = done.find((made) => made instanceof SalesforceError);
    if (refused !== undefined && !done.includes('made')) throw refused;
    const now = salesforce.now();
    return {
      jobs: leased
        .filter((_, index) => done[index] === 'made')
        .map(({ row, epoch }) => claimedJob(context, row, { epoch, claim: params.claim })),
      now,
      lost: taken.lost,
      takenOver: taken.count,
      more: done.includes('taken') || isFull(picked, wants, limit),
      suspects: found.suspects,
      nextDueMs: found.nextDue === null ? null : Math.max(0, found.nextDue - now),
    };
  };

  /** Reads the candidates in one call; each call holds five queries, so many kinds need more. */
  async function look(params: ClaimParams, wants: readonly Want[]): Promise<Found> {
    const { limit, minPriority, alone = false } = params;
    const now = soqlTime(salesforce.now());
    const live = `${field.live} = '${LIVE}'`;
    const waiting = `${live} AND ${field.status} = 'QUEUED'`;
    const due = [
      waiting,
      `(${field.due} = null OR ${field.due} <= ${now})`,
      ...(minPriority === undefined ? [] : [`${field.priority} >= ${minPriority}`]),
    ];
    const kinds = wants.map(({ kind }) => ofKind(context, kind));
    const ofAny = kinds.length === 0 ? 'Id = null' : `(${kinds.join(' OR ')})`;
    const queries = [
      soql(
        columns(context, 'summary'),
        context,
        `${live} AND ${field.status} = 'PROCESSING' AND ${field.lockedUntil} < ${now}`,
        { limit: TAKE_OVER_AT_ONCE },
      ),
      soql(field.due, context, `${waiting} AND ${field.due} > ${now}`, {
        order: `${field.due} ASC`,
        limit: 1,
      }),
      soql('Id', context, [...due, `${field.suspect} = true`, ofAny].join(' AND '), {
        limit: alone ? 2 : 1,
      }),
      ...wants.map((want) =>
        soql(
          columns(context, 'whole'),
          context,
          [...due, `${field.suspect} = ${alone}`, ofKind(context, want.kind)].join(' AND '),
          { order: claimOrder(context), limit: alone ? 1 : Math.min(want.limit, limit) },
        ),
      ),
    ];
    const asked = {
      ...context,
      salesforce: calling(salesforce, { correlationId: claimIdOf(params) }),
    };
    const [expired = [], next = [], suspects = [], ...found] = await answersTo(asked, queries);
    return {
      expired: expired.map((record) => rowOf(context, record)),
      suspects: suspects.length > (alone ? 1 : 0),
      due: found
        .flat()
        .map((record) => rowOf(context, record))
        .toSorted(byClaimOrder),
      nextDue: next[0] === undefined ? null : rowOf(context, next[0]).due,
    };
  }

  async function takeOver(
    expired: readonly Row[],
    said: { readonly correlationId: string },
  ): Promise<{ count: number; lost: Lost[] }> {
    const ends = expired.map((row) => ({
      row,
      first: [endRow(context, { recordId: row.id, epoch: row.epoch })],
      values: takeOverValues(context, row),
    }));
    const done = await moves.make(ends, said);
    const ended = ends.filter((_, index) => done[index] === 'made');
    return {
      count: ended.length,
      lost: ended
        .filter(({ values }) => values.status === 'FAILED')
        .map(({ row }) => ({
          id: ids.jobId(row.id),
          kind: row.kind,
          attempt: row.attempts + 1,
          correlationId: row.correlationId,
        })),
    };
  }

  /** Someone asked for it to stop in the moment in which its worker put it back. */
  function cancelMove(row: Row): Move {
    const values = { ...canceledValues(salesforce.now()), epoch: nextEpoch(context, row) };
    return { row, first: nextRows(context, row), values };
  }

  function leaseMove({ row, epoch }: { row: Row; epoch: number }, params: ClaimParams): Move {
    const now = salesforce.now();
    return {
      row,
      first: nextRows(context, row),
      values: {
        status: 'PROCESSING',
        epoch,
        leaseToken: tokenOf(row.id, epoch),
        lockedUntil: timeText(now + params.leaseMs),
        claimId: claimIdOf(params),
        worker: params.worker.slice(0, LONGEST_WORKER),
        startedAt: timeText(now),
        correlationId: row.correlationId,
      },
    };
  }
}

/** A record that nobody gave an id has one from its first claim on: logs, traces and the org name it by the same. */
function withCorrelation(row: Row): Row {
  return row.correlationId === null ? { ...row, correlationId: randomUUID() } : row;
}

function isCanceled({ cancelRequested }: Row): boolean {
  return cancelRequested;
}

function pick(rows: readonly Row[], wants: readonly Want[], limit: number): Row[] {
  const left = new Map(wants.map(({ kind, limit: most }) => [kind, most]));
  return rows
    .filter(({ kind }) => {
      const room = left.get(kind) ?? 0;
      left.set(kind, room - 1);
      return room > 0;
    })
    .slice(0, limit);
}

function isFull(picked: readonly Row[], wants: readonly Want[], limit: number): boolean {
  if (picked.length >= limit) return limit > 0;
  return wants.some((want) => picked.filter(({ kind }) => kind === want.kind).length >= want.limit);
}

/** As the query orders them; those of several kinds come from several queries. */
function byClaimOrder(a: Row, b: Row): number {
  if (a.priority !== b.priority) return (b.priority ?? -Infinity) - (a.priority ?? -Infinity);
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}

/**
 * Takes over a record whose lease is over, as the port says it (`Claimed`). A record is begun once its lease was
 * renewed, which empties ClaimId__c; one that Apex leased to a call of its own never had a claim, and counts as begun.
 */
function takeOverValues(
  { salesforce }: Context,
  row: Row,
): Partial<Record<Field, unknown>> & { readonly status: 'QUEUED' | 'FAILED' | 'CANCELED' } {
  const now = salesforce.now();
  const isBegun = row.claimId === null;
  const attempts = row.attempts + (isBegun ? 1 : 0);
  const free = { leaseToken: null, lockedUntil: null, claimId: null };
  if (row.cancelRequested) return { ...free, attempts, ...canceledValues(now), status: 'CANCELED' };
  if (isBegun && row.suspect && attempts >= row.maxAttempts) {
    const error = { errorCode: 'worker_lost', error: lostText(row, attempts) };
    const finishedAt = timeText(now);
    return { ...free, ...error, attempts, status: 'FAILED', finishedAt, suspect: false };
  }
  // A job that was not alone keeps one execution: a neighbour may have ended the process.
  const kept = Math.min(attempts, row.maxAttempts - 1);
  return { ...free, attempts: kept, status: 'QUEUED', due: null, suspect: true };
}

/** Says no more than is known: the lease was not renewed. */
function lostText({ worker }: Row, attempt: number): string {
  return (
    `The worker ${worker ?? ''} stopped renewing its lease during attempt ${attempt}: it died, froze or was cut ` +
    'off. The document may be the cause (memory, a crash): look at the log of the worker before you try it again.'
  );
}
