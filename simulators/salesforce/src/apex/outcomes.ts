import type { Row } from '../data/row.ts';
import type { Work } from '../data/work.ts';
import { type Body, badRequest } from './body.ts';
import {
  CLEARED_LEASE,
  CLEARED_OUTCOME,
  type Documents,
  type Patch,
  canceled,
} from './documents.ts';

const DAY = 86_400;
const MOVES = ['succeed', 'fail', 'cancel', 'retry', 'defer', 'handBack'] as const;
type Move = (typeof MOVES)[number];

interface Outcome {
  readonly id: string;
  readonly token: string;
  readonly move: Move;
  readonly result: string | null;
  readonly errorCode: string | null;
  readonly error: string | null;
  readonly delaySeconds: number | null;
  readonly requestJson: string | null;
  readonly clearRequest: boolean;
  /** Whom the document was about when it was claimed; null where a worker does not say. */
  readonly subject: string | null;
}

/**
 * `POST renew`. A lease that has run out but was not taken over is still held. Only what was begun is renewed, and the
 * empty ClaimId says so from then on.
 */
export async function renew(
  documents: Documents,
  work: Work,
  body: Body,
  now: number,
): Promise<unknown> {
  const leases = body.objects('leases').map((each) => {
    const epoch = each.wholeNumber('epoch', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    return { id: each.id('id'), token: `${each.id('id')}:${epoch}` };
  });
  const until = now + body.wholeNumber('leaseSeconds', 1, DAY) * 1000;
  const rows = await documents.locked(
    work,
    leases.map(({ id }) => id),
  );
  const held = leases.filter(({ id, token }) => documents.holds(rows.get(id), token));
  const failures = await documents.save(
    work,
    new Map(held.map(({ id }) => [id, { LockedUntil: until, ClaimId: null }])),
  );
  const answers = leases.map(({ id, token }) => {
    const row = rows.get(id);
    if (row === undefined || !documents.holds(row, token) || failures.has(id)) return 'stale';
    return documents.get(row, 'CancelRequested') === true ? 'cancel' : 'renewed';
  });
  return { now, answers };
}

/** `POST complete`: outcomes without files. Each row stands alone. */
export async function complete(
  documents: Documents,
  work: Work,
  body: Body,
  now: number,
): Promise<unknown> {
  const outcomes = body.objects('outcomes').map(readOutcome);
  const rows = await documents.locked(
    work,
    outcomes.map(({ id }) => id),
  );
  const patches = new Map<string, Patch>();
  const answers = outcomes.map((outcome) => {
    const row = rows.get(outcome.id);
    // A second outcome for one row in one request: the first has ended the lease.
    if (row !== undefined && documents.holds(row, outcome.token) && !patches.has(row.Id)) {
      const patch = patchOf(documents, outcome, row, now);
      patches.set(row.Id, patch);
      return patch.Status === 'CANCELED' && outcome.move !== 'cancel' ? 'canceled' : 'settled';
    }
    if (row === undefined) return 'stale';
    const settled = patches.get(row.Id)?.SettledToken ?? documents.text(row, 'SettledToken');
    return settled === outcome.token ? 'already' : 'stale';
  });
  const failures = await documents.save(work, patches);
  return {
    now,
    answers: answers.map((each, index) =>
      failures.has(outcomes[index]?.id ?? '') ? 'stale' : each,
    ),
    ...(failures.size > 0 && { failures: Object.fromEntries(failures) }),
  };
}

function readOutcome(body: Body): Outcome {
  const named = body.text('move');
  const move = MOVES.find((each) => each === named);
  if (move === undefined) throw badRequest(`There is no move ${named}.`);
  return {
    id: body.id('id'),
    token: body.text('token'),
    move,
    result: body.optionalText('result'),
    errorCode: body.optionalText('errorCode'),
    error: body.optionalText('error'),
    delaySeconds: body.optionalSeconds('delaySeconds', 365 * DAY),
    requestJson: body.optionalText('requestJson'),
    clearRequest: body.flag('clearRequest'),
    subject: body.optionalText('subject'),
  };
}

function patchOf(documents: Documents, outcome: Outcome, row: Row, now: number): Patch {
  return {
    ...moved(documents, outcome, row, now),
    ...(outcome.clearRequest && { RequestJSON: null }),
    ...(isErased(documents, outcome, row) && {
      RequestJSON: null,
      Result: null,
      Error: null,
      Subject: outcome.subject,
    }),
    ...CLEARED_LEASE,
    ...(outcome.move !== 'handBack' && { Suspect: false }),
    SettledToken: outcome.token,
  };
}

/** While it was made: how it ended is kept, and nothing that it says. */
function isErased({ text }: Documents, { subject }: Outcome, row: Row): boolean {
  return subject !== null && text(row, 'Subject') === null;
}

function moved(documents: Documents, outcome: Outcome, row: Row, now: number): Patch {
  const { move, result, requestJson, error } = outcome;
  const failed = { ...errorOf(outcome), Attempts: documents.attemptsOf(row) + 1 };
  const back = putBack(documents, row, now, move === 'handBack' ? 0 : (outcome.delaySeconds ?? 0));
  switch (move) {
    case 'succeed':
      return { Status: 'SUCCEEDED', FinishedAt: now, Result: result, Error: null, ErrorCode: null };
    case 'fail':
      return { Status: 'FAILED', FinishedAt: now, ...failed };
    case 'cancel':
      return canceled(now);
    case 'retry':
      return { ...back, ...failed };
    case 'defer':
      return {
        ...back,
        Error: null,
        ErrorCode: null,
        ...(requestJson !== null && { RequestJSON: requestJson }),
      };
    case 'handBack':
      return { ...back, ...(error !== null && errorOf(outcome)) };
  }
}

/** Whom someone asked to stop does not wait again. */
function putBack(documents: Documents, row: Row, now: number, delaySeconds: number): Patch {
  if (documents.get(row, 'CancelRequested') === true) return canceled(now);
  const due = delaySeconds > 0 ? now + delaySeconds * 1000 : null;
  return { Status: 'QUEUED', ScheduledRetryTime: due };
}

function errorOf({ error, errorCode }: Outcome): Patch {
  return { Error: error?.slice(0, 32_768) ?? null, ErrorCode: errorCode?.slice(0, 100) ?? null };
}

/** `POST cancel`. What waits or has failed ends at once; what runs is asked to stop. */
export async function cancel(
  documents: Documents,
  work: Work,
  body: Body,
  now: number,
): Promise<unknown> {
  const patches = new Map<string, Patch>();
  for (const [id, row] of await documents.locked(work, body.ids('ids'))) {
    const status = documents.text(row, 'Status');
    if (status === 'PROCESSING') patches.set(id, { CancelRequested: true });
    if (status === 'QUEUED' || status === 'FAILED') patches.set(id, canceled(now));
  }
  const failures = await documents.save(work, patches);
  const done = [...patches].filter(([id]) => !failures.has(id));
  return {
    canceled: done.flatMap(([id, { Status }]) => (Status === 'CANCELED' ? [id] : [])),
    requested: done.flatMap(([id, { Status }]) => (Status === 'CANCELED' ? [] : [id])),
  };
}

/** `POST retry`: with fresh attempts. */
export async function retry(documents: Documents, work: Work, body: Body): Promise<unknown> {
  const patches = new Map<string, Patch>();
  for (const [id, row] of await documents.locked(work, body.ids('ids'))) {
    if (['FAILED', 'CANCELED'].includes(documents.text(row, 'Status') ?? '')) {
      patches.set(id, { ...CLEARED_OUTCOME, Status: 'QUEUED' });
    }
  }
  const failures = await documents.save(work, patches);
  return { retried: [...patches.keys()].filter((id) => !failures.has(id)) };
}
