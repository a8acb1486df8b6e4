import type { Row } from '../data/row.ts';
import type { Work } from '../data/work.ts';
import { type Body, badRequest } from './body.ts';
import { type Documents, LIVE, type Patch } from './documents.ts';
import { type TakenOver, takeOver } from './take-over.ts';

const MOST_WANTS = 20;
const MOST_ROWS = 200;
const DAY = 86_400;
/** Of requests in an answer: the heap of Apex is 6 MB. The rest is for the caller to read by query. */
const MOST_CHARACTERS = 1_000_000;

interface Request {
  readonly worker: string;
  readonly mark: string;
  readonly replay: boolean;
  /** One suspect and nothing else; without it, everything but suspects. */
  readonly alone: boolean;
  readonly leaseSeconds: number;
  /** By kind; null are rows without one. */
  readonly wants: ReadonlyMap<string | null, number>;
  readonly limit: number;
  readonly minPriority: number | null;
  readonly maxAttempts: number;
}

/**
 * `POST claim`. What vanished workers left is put back first. Then candidates are found without a lock, locked by
 * id, looked at again, and leased: two claims at once queue up at the locks and never get the same row.
 */
export async function claim(
  documents: Documents,
  work: Work,
  body: Body,
  now: number,
): Promise<unknown> {
  const request = readRequest(body);
  if (request.replay) {
    const held = [...work.tx.rows(documents.object)].filter(
      (row) =>
        documents.text(row, 'Status') === 'PROCESSING' &&
        documents.text(row, 'ClaimId') === request.mark,
    );
    const rows = held.toSorted(inOrder(documents)).slice(0, MOST_ROWS);
    return answer(documents, work, request, now, rows, { lost: [], count: 0 }, true, null);
  }
  const taken = await takeOver(documents, work, request.maxAttempts, now);
  const { claimed, more } = await lease(documents, work, request, now);
  return answer(
    documents,
    work,
    request,
    now,
    claimed,
    taken,
    more,
    nextDue(documents, work, request, now),
  );
}

function readRequest(body: Body): Request {
  const worker = body.text('worker');
  const wants = new Map<string | null, number>();
  const request = {
    worker,
    mark: `${worker}/${body.text('claimId')}`.slice(0, 255),
    replay: body.flag('replay'),
    alone: body.flag('alone'),
    leaseSeconds: body.wholeNumber('leaseSeconds', 1, DAY),
    limit: Math.min(body.wholeNumber('limit', 0, MOST_ROWS), body.flag('alone') ? 1 : MOST_ROWS),
    minPriority: body.optionalNumber('minPriority', -1000, 1000),
    maxAttempts: body.wholeNumber('maxAttempts', 1, 9999),
    wants,
  };
  for (const want of body.objects('wants')) {
    const kind = want.optionalText('kind');
    if (wants.has(kind)) throw badRequest(`The kind ${kind} is wanted twice.`);
    wants.set(kind, want.wholeNumber('limit', 0, MOST_ROWS));
  }
  if (wants.size > MOST_WANTS) throw badRequest(`wants may have ${MOST_WANTS} at most.`);
  return request;
}

/** Highest priority first, none last; then the oldest. */
function inOrder(documents: Documents): (a: Row, b: Row) => number {
  return (a, b) => {
    const [first, second] = [documents.number(a, 'Priority'), documents.number(b, 'Priority')];
    if (first !== second) return (second ?? -Infinity) - (first ?? -Infinity);
    const age = Number(a['CreatedDate']) - Number(b['CreatedDate']);
    return age === 0 ? (a.Id < b.Id ? -1 : 1) : age;
  };
}

async function lease(
  documents: Documents,
  work: Work,
  request: Request,
  now: number,
): Promise<{ claimed: Row[]; more: boolean }> {
  const { object, text } = documents;
  const order = inOrder(documents);
  const isDue = (row: Row): boolean =>
    isDueNow(documents, request, row, now) && isSuspect(documents, row) === request.alone;

  const due = [...work.tx.rows(object)]
    .filter((row) => text(row, 'Live') === LIVE && isDue(row))
    .toSorted(order);
  const candidates = [...request.wants]
    .flatMap(([kind, want]) =>
      // Twice as many as wanted: when several claim at once, the first ones are gone under the lock.
      due
        .filter((row) => text(row, 'Kind') === kind)
        .slice(0, Math.min(want, request.limit) * 2 + 10),
    )
    .toSorted(order);
  const rows = await documents.lockedOrNone(
    work,
    candidates.map(({ Id }) => Id),
  );

  const room = new Map(request.wants);
  const patches = new Map<string, Patch>();
  let othersWereFaster = false;
  for (const { Id } of candidates) {
    const row = rows.get(Id);
    const left = row === undefined ? 0 : (room.get(text(row, 'Kind')) ?? 0);
    if (row === undefined || !isDue(row)) othersWereFaster = true;
    if (row === undefined || !isDue(row) || left <= 0 || patches.size >= request.limit) continue;
    room.set(text(row, 'Kind'), left - 1);
    patches.set(Id, leaseOf(documents, request, row, now));
  }
  const failures = await documents.save(work, patches);
  const claimed = [...patches.keys()].flatMap((id) =>
    failures.has(id) ? [] : (work.tx.get(id) ?? []),
  );
  return { claimed, more: othersWereFaster || isFull(documents, request, claimed) };
}

function isSuspect({ get }: Documents, row: Row): boolean {
  return get(row, 'Suspect') === true;
}

function isDueNow({ text, number }: Documents, request: Request, row: Row, now: number): boolean {
  const { minPriority } = request;
  return (
    text(row, 'Status') === 'QUEUED' &&
    (number(row, 'ScheduledRetryTime') ?? 0) <= now &&
    (minPriority === null || (number(row, 'Priority') ?? -Infinity) >= minPriority)
  );
}

/** Suspects of a wanted kind that are due, and were not given by this very claim. */
function hasSuspects(documents: Documents, work: Work, request: Request, now: number): boolean {
  return [...work.tx.rows(documents.object)].some(
    (row) =>
      documents.text(row, 'Live') === LIVE &&
      isSuspect(documents, row) &&
      isDueNow(documents, request, row, now) &&
      request.wants.has(documents.text(row, 'Kind')),
  );
}

function leaseOf({ number }: Documents, request: Request, row: Row, now: number): Patch {
  const epoch = Math.max((number(row, 'Epoch') ?? 0) + 1, Math.floor(now));
  return {
    Status: 'PROCESSING',
    Epoch: epoch,
    LeaseToken: `${row.Id}:${epoch}`,
    LockedUntil: now + request.leaseSeconds * 1000,
    ClaimId: request.mark,
    Worker: request.worker.slice(0, 120),
    StartedAt: now,
  };
}

/** At least one limit was reached: there may be more. */
function isFull({ text }: Documents, { wants, limit }: Request, claimed: readonly Row[]): boolean {
  const isReached = ([kind, most]: [string | null, number]): boolean =>
    claimed.filter((row) => text(row, 'Kind') === kind).length >= most;
  return claimed.length >= limit || [...wants].some(isReached);
}

function nextDue(
  { object, text, number }: Documents,
  work: Work,
  { wants }: Request,
  now: number,
): number | null {
  let next = Infinity;
  for (const row of work.tx.rows(object)) {
    const at = number(row, 'ScheduledRetryTime');
    const isWaiting =
      text(row, 'Live') === LIVE &&
      text(row, 'Status') === 'QUEUED' &&
      wants.has(text(row, 'Kind'));
    if (isWaiting && at !== null && at > now) next = Math.min(next, at);
  }
  return next === Infinity ? null : next;
}

function answer(
  documents: Documents,
  work: Work,
  request: Request,
  now: number,
  rows: readonly Row[],
  { lost, count }: TakenOver,
  more: boolean,
  nextDueAt: number | null,
): unknown {
  const { text, number } = documents;
  let characters = 0;
  const jobs = rows.map((row) => {
    const requestJson = text(row, 'RequestJSON');
    characters += requestJson?.length ?? 0;
    const creator = work.tx.get(String(row['CreatedById']));
    return {
      id: row.Id,
      epoch: number(row, 'Epoch') ?? 0,
      kind: text(row, 'Kind'),
      attempt: documents.attemptsOf(row) + 1,
      maxAttempts: number(row, 'MaxAttempts') ?? request.maxAttempts,
      priority: number(row, 'Priority'),
      createdAt: Number(row['CreatedDate']),
      correlationId: text(row, 'CorrelationId'),
      submitter: text(row, 'Submitter') ?? String(creator?.['Username'] ?? ''),
      subject: text(row, 'Subject'),
      suspect: isSuspect(documents, row),
      traceparent: text(row, 'Traceparent'),
      requestJson: characters < MOST_CHARACTERS ? requestJson : null,
    };
  });
  const suspects = !request.replay && hasSuspects(documents, work, request, now);
  return { now, jobs, lost, takenOver: count, more, suspects, nextDue: nextDueAt };
}
