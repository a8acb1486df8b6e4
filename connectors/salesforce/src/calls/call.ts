import { absolutePath, routeOf } from './address.ts';
import type { BudgetKeeper } from './budget.ts';
import { isCrowded, refusal } from './classify.ts';
import type { Clock } from './clock.ts';
import { type Deadline, createDeadline } from './deadline.ts';
import { SalesforceError, withOutcome } from '../errors.ts';
import type { Gate } from './gate.ts';
import { readErrorBody } from './read.ts';
import { MOST_REPEATS, delayMs, mayRepeat } from './retry.ts';
import type { Session, Tokens } from './token.ts';
import type { CallReport, Method, Stats, WriteOptions } from '../types.ts';
import type { Answer, Wire } from './wire.ts';

/**
 * The way of a call: it enters the gate, takes the token, is sent, and its answer is read. A refused session is renewed once;
 * what may be repeated is repeated; then the call is reported, however it ended.
 */
export interface Caller {
  call<T>(params: CallParams, read: Read<T>): Promise<T>;
  stats(): Omit<Stats, 'tokens'>;
}

export interface CallParams extends WriteOptions {
  readonly method: Method;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Outgoing;
}

export interface Outgoing {
  readonly type: string;
  readonly length: number;
  open(deadline: Deadline): Uint8Array | AsyncIterable<Uint8Array>;
  /** False once a body that can be read only once has been opened. */
  canOpen(): boolean;
}

export type Read<T> = (answer: Answer, reading: Reading) => Promise<T>;

export interface Reading {
  readonly deadline: Deadline;
  /** An earlier try lost its answer and may have been done: what this answer refuses was perhaps its own work. */
  readonly afterLost: boolean;
  /** Leaves the slot and the deadline to the reader, who ends both by calling what it gets. */
  keep(): () => void;
}

export interface CallerParams {
  readonly apiVersion: string;
  readonly timeoutMs: number;
  readonly wire: Wire;
  readonly gate: Gate;
  readonly tokens: Tokens;
  readonly budget: BudgetKeeper;
  readonly clock: Clock;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly onCall: (report: CallReport) => void;
}

/** How far a call has come. */
interface Way {
  readonly route: string;
  readonly startedAt: number;
  repeats: number;
  renewals: number;
  requests: number;
  /** A try may have been done without our knowing. */
  lost: boolean;
}

/** What Salesforce takes of URI and headers together. */
const LONGEST_HEAD = 16_384;

export function createCaller(parts: CallerParams): Caller {
  const { now, budget, tokens } = parts;
  let calls = 0;
  const byRoute = new Map<string, number>();

  async function call<T>(params: CallParams, read: Read<T>): Promise<T> {
    const path = absolutePath(params.path, parts.apiVersion);
    const route = routeOf(path);
    const way: Way = { route, startedAt: now(), repeats: 0, renewals: 0, requests: 0, lost: false };
    for (;;) {
      try {
        const { value, status } = await attempt({ ...params, path }, way, read);
        report(params, way, status, null);
        return value;
      } catch (thrown) {
        if (!(thrown instanceof SalesforceError)) throw thrown;
        const error = way.lost ? withOutcome(thrown, 'unknown') : thrown;
        if (!(await goesOn(params, way, error))) {
          report(params, way, error.status, error.code);
          throw error;
        }
      }
    }
  }

  async function goesOn(params: CallParams, way: Way, error: SalesforceError): Promise<boolean> {
    if (params.body?.canOpen() === false) return false;
    if (isSessionRefused(error) && way.renewals === 0) {
      way.renewals += 1;
      return true;
    }
    const isSafe = params.method === 'GET' || params.repeatable === true;
    if (way.repeats >= MOST_REPEATS || !mayRepeat(error, isSafe)) return false;
    if (error.outcome === 'unknown' && params.method !== 'GET') way.lost = true;
    try {
      await parts.sleep(delayMs(way.repeats, parts.random), params.signal);
    } catch {
      // The caller gave up during the pause: the error before it is reported.
      return false;
    }
    way.repeats += 1;
    return true;
  }

  async function attempt<T>(
    params: CallParams,
    way: Way,
    read: Read<T>,
  ): Promise<{ value: T; status: number }> {
    const lane = params.lane ?? 'batch';
    budget.admit(lane);
    const leave = await parts.gate.enter(lane, params.signal);
    const deadline = createDeadline(parts.timeoutMs, params.signal);
    let kept = false;
    const end = (): void => {
      deadline.clear();
      leave();
    };
    const keep = (): (() => void) => {
      kept = true;
      return end;
    };
    try {
      // The daily limit may have been reached while this call waited at the gate.
      budget.admit(lane);
      const session = await orEnded(tokens.get(), deadline);
      const answer = await exchange(params, way, session, deadline);
      const value = await read(answer, { deadline, keep, afterLost: way.lost });
      return { value, status: answer.status };
    } finally {
      if (!kept) end();
    }
  }

  /** Sends it; an answer that is an error becomes one. */
  async function exchange(
    params: CallParams,
    way: Way,
    session: Session,
    deadline: Deadline,
  ): Promise<Answer> {
    const headers = headersOf(params, session);
    refuseLongHead(params.path, headers);
    const sentAt = now();
    let answer: Answer;
    try {
      answer = await parts.wire.send({
        origin: session.origin,
        method: params.method,
        path: params.path,
        headers,
        body: params.body?.open(deadline) ?? null,
        deadline,
      });
    } catch (error) {
      if (error instanceof SalesforceError && error.outcome !== 'notSent') count(way);
      throw error;
    }
    count(way);
    parts.clock.note(answer.headers['date'], sentAt, now());
    budget.note(answer.headers['sforce-limit-info']);
    if (answer.status < 300) return answer;
    const error = refusal(answer.status, await readErrorBody(answer, deadline), {
      secrets: [session.token],
    });
    if (answer.status === 401) tokens.refused(session);
    if (error.code === 'REQUEST_LIMIT_EXCEEDED' && !isCrowded(error)) budget.exceeded();
    throw error;
  }

  function count(way: Way): void {
    calls += 1;
    way.requests += 1;
    byRoute.set(way.route, (byRoute.get(way.route) ?? 0) + 1);
  }

  function report(
    { method, correlationId }: CallParams,
    way: Way,
    status: number | null,
    errorCode: string | null,
  ): void {
    parts.onCall({
      method,
      path: way.route,
      status,
      errorCode,
      durationMs: now() - way.startedAt,
      retried: way.repeats + way.renewals,
      requests: way.requests,
      ...(correlationId !== undefined && { correlationId }),
    });
  }

  return { call, stats: () => ({ calls, byRoute: Object.fromEntries(byRoute) }) };
}

/** A JSON body. It is turned into bytes once, however often it is sent. */
export function jsonBody(value: unknown): Outgoing {
  return textBody(JSON.stringify(value));
}

export function textBody(json: string): Outgoing {
  const bytes = Buffer.from(json);
  return {
    type: 'application/json',
    length: bytes.length,
    open: () => bytes,
    canOpen: () => true,
  };
}

/** Whether Salesforce refused the session. A refused login is left out: another token would not help there. */
function isSessionRefused({ status, code }: SalesforceError): boolean {
  return status === 401 && code !== 'token_refused';
}

function headersOf(params: CallParams, session: Session): Record<string, string> {
  const { body, correlationId } = params;
  return {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    ...params.headers,
    ...(body !== undefined && {
      'content-type': body.type,
      'content-length': String(body.length),
    }),
    ...(correlationId !== undefined && { 'x-correlation-id': headerText(correlationId) }),
    authorization: `Bearer ${session.token}`,
  };
}

/** Ids come from outside; a line end in one must not become a header. A call may be for a hundred documents. */
function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_').slice(0, 4_000);
}

function refuseLongHead(path: string, headers: Readonly<Record<string, string>>): void {
  const size = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    path.length,
  );
  if (size <= LONGEST_HEAD) return;
  throw new SalesforceError(
    `The address and headers of the request take ${size} bytes; Salesforce allows ${LONGEST_HEAD}. Send it as the body of a composite request.`,
    { code: 'request_too_long', kind: 'data', outcome: 'notSent' },
  );
}

/**
 * Waits for the token until the deadline. The request for it goes on when this caller leaves: others may wait for the
 * same token.
 */
function orEnded<T>(promise: Promise<T>, deadline: Deadline): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void =>
      reject(
        new SalesforceError('The request ended before there was a token.', {
          code: deadline.ended() ?? 'canceled',
          kind: 'unavailable',
          outcome: 'notSent',
          retryable: deadline.ended() === 'timeout',
        }),
      );
    if (deadline.signal.aborted) onAbort();
    deadline.signal.addEventListener('abort', onAbort, { once: true });
    promise
      .then(resolve, reject)
      .finally(() => deadline.signal.removeEventListener('abort', onAbort));
  });
}
