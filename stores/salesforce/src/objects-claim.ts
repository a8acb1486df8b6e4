import type { ClaimParams, Claimed, Lost, Want } from '@millrace/engine';
import { SalesforceError, soqlTime } from '@millrace/salesforce';
import { claimedJob, claimIdOf } from './claimed.ts';
import type { Context } from './context.ts';
import { canceledValues, timeText } from './ending.ts';
import { tokenOf } from './ids.ts';
import { type Move, type Moves, endRow, nextEpoch, nextRows } from './moves.ts';
import { type Row, columns, rowOf } from './row.ts';
import { claimOrder, ofKind, soql } from './select.ts';

/** Queries that one composite call may hold. */
const QUERIES = 5;
const TAKE_OVER_AT_ONCE = 200;
const LONGEST_WORKER = 120;
const LOST = 'The worker went away while it made the document, each time it was tried.';

interface Found {
  readonly expired: Row[];
  readonly due: Row[];
  readonly nextDue: number | null;
}

/** Looks, puts back what was left lying, takes leases, says what it has. */
export function createObjectsClaim(
  context: Context,
  moves: Moves,
): (params: ClaimParams) => Promise<Claimed> {
  const { salesforce, names, ids } = context;
  const { field } = names;

  return async function claim(params) {
    const wants = params.wants.filter(({ limit }) => limit > 0);
    let found = await look(params, wants);
    const taken = await takeOver(found.expired);
    if (taken.count > 0) found = await look(params, wants);

    const picked = pick(found.due, wants, params.limit);
    const [canceled, fresh] = [picked.filter(isCanceled), picked.filter((row) => !isCanceled(row))];
    await moves.make(canceled.map(cancelMove));
    const leased = fresh.map((row) => ({ row, epoch: nextEpoch(context, row) }));
    const done = await moves.make(leased.map((each) => leaseMove(each, params)));
    const refused = done.find((made) => made instanceof SalesforceError);
    if (refused !== undefined && !done.includes('made')) throw refused;
    const now = salesforce.now();
    return {
      jobs: leased
        .filter((_, index) => done[index] === 'made')
        .map(({ row, epoch }) => claimedJob(context, row, epoch)),
      now,
      lost: taken.lost,
      takenOver: taken.count - taken.lost.length,
      more: isFull(picked, wants, params.limit),
      nextDueMs: found.nextDue === null ? null : Math.max(0, found.nextDue - now),
    };
  };

  /** One call, or one more for each few kinds. */
  async function look({ limit, minPriority }: ClaimParams, wants: readonly Want[]): Promise<Found> {
    const now = soqlTime(salesforce.now());
    const waiting = `${field.status} = 'QUEUED'`;
    const queries = [
      soql(
        columns(context, 'summary'),
        context,
        `${field.status} = 'PROCESSING' AND ${field.lockedUntil} < ${now}`,
        { limit: TAKE_OVER_AT_ONCE },
      ),
      soql(field.due, context, `${waiting} AND ${field.due} > ${now}`, {
        order: `${field.due} ASC`,
        limit: 1,
      }),
      ...wants.map((want) =>
        soql(
          columns(context, 'whole'),
          context,
          [
            waiting,
            ofKind(context, want.kind),
            `(${field.due} = null OR ${field.due} <= ${now})`,
            ...(minPriority === undefined ? [] : [`${field.priority} >= ${minPriority}`]),
          ].join(' AND '),
          { order: claimOrder(context), limit: Math.min(want.limit, limit) },
        ),
      ),
    ];
    const [expired = [], next = [], ...due] = await answersTo(queries);
    return {
      expired: expired.map((record) => rowOf(context, record)),
      due: due
        .flat()
        .map((record) => rowOf(context, record))
        .toSorted(byClaimOrder),
      nextDue: next[0] === undefined ? null : rowOf(context, next[0]).due,
    };
  }

  async function answersTo(queries: readonly string[]): Promise<object[][]> {
    const answers: object[][] = [];
    for (let from = 0; from < queries.length; from += QUERIES) {
      const some = queries.slice(from, from + QUERIES);
      const responses = await salesforce.composite(
        some.map((query, index) => ({
          method: 'GET',
          url: `query?q=${encodeURIComponent(query)}`,
          referenceId: `q${index}`,
        })),
        { allOrNone: false, repeatable: true },
      );
      for (const [index, { httpStatusCode, body }] of responses.entries()) {
        const isAnswered = httpStatusCode < 300;
        // Alone, the one that failed says why.
        if (isAnswered) answers.push((body as { records?: object[] }).records ?? []);
        else answers.push(await salesforce.query<object>(some[index] ?? ''));
      }
    }
    return answers;
  }

  async function takeOver(expired: readonly Row[]): Promise<{ count: number; lost: Lost[] }> {
    const ends = expired.map((row): Move & { lost: boolean } => {
      const attempts = row.attempts + 1;
      const first = [endRow(context, { recordId: row.id, epoch: row.epoch })];
      const free = { attempts, leaseToken: null, lockedUntil: null, claimId: null };
      const now = salesforce.now();
      if (row.cancelRequested)
        return { row, first, lost: false, values: { ...free, ...canceledValues(now) } };
      if (attempts < row.maxAttempts)
        return { row, first, lost: false, values: { ...free, status: 'QUEUED', due: null } };
      const error = { errorCode: 'worker_lost', error: LOST };
      const values = { ...free, ...error, status: 'FAILED', finishedAt: timeText(now) };
      return { row, first, lost: true, values };
    });
    const done = await moves.make(ends);
    const ended = ends.filter((_, index) => done[index] === 'made');
    return {
      count: ended.length,
      lost: ended
        .filter(({ lost }) => lost)
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
      },
    };
  }
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
export function byClaimOrder(a: Row, b: Row): number {
  if (a.priority !== b.priority) return (b.priority ?? -Infinity) - (a.priority ?? -Infinity);
  if (a.createdAt !== b.createdAt) return a.createdAt - b.createdAt;
  return a.id < b.id ? -1 : 1;
}
