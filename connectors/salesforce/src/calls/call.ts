import {
  type Answer,
  type Deadline,
  type Gate,
  type HttpError,
  type Sleep,
  type Wire,
  createDeadline,
  headerText,
  pauseMs,
  withRetries,
} from '@millrace/http';
import { SalesforceError, peer } from '../errors.ts';
import type { CallReport, Method, Stats, WriteOptions } from '../types.ts';
import { absolutePath, routeOf } from './address.ts';
import type { BudgetKeeper } from './budget.ts';
import { isCrowded, refusal } from './classify.ts';
import type { Clock } from './clock.ts';
import { readErrorBody } from './read.ts';
import { mayRepeat } from './retry.ts';
import type { Session, Tokens } from './token.ts';

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
  /** A file: the time runs while not one byte moves, and not from the start to the end. */
  readonly isFile?: boolean;
}

export interface Outgoing {
  readonly type: string;
  readonly length: number;
  open(): Uint8Array | AsyncIterable<Uint8Array>;
  /** False once a body that can be read only once has been opened. */
  canOpen(): boolean;
}

export type Read<T> = (answer: Answer, reading: Reading) => Promise<T>;

export interface Reading {
  readonly deadline: Deadline;
  /** An earlier try lost its answer and may have been done: what this answer refuses was perhaps its own work. */
  readonly afterLost: boolean;
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
  readonly sleep: Sleep;
  readonly onCall: (report: CallReport) => void;
}

/** How far a call has come. */
interface Way {
  readonly route: string;
  readonly startedAt: number;
  attempts: number;
  /** Of the session. */
  renewals: number;
  requests: number;
  /** A try may have been done without our knowing. */
  lost: boolean;
}

/** What Salesforce takes of URI and headers together. */
const LONGEST_HEAD = 16_384;
/** A call may be for a hundred documents. */
const LONGEST_CORRELATION = 4_000;

export function createCaller(parts: CallerParams): Caller {
  const { now, budget, tokens } = parts;
  let calls = 0;
  const byRoute = new Map<string, number>();

  async function call<T>(params: CallParams, read: Read<T>): Promise<T> {
    const path = absolutePath(params.path, parts.apiVersion);
    const route = routeOf(path);
    const way: Way = {
      route,
      startedAt: now(),
      attempts: 0,
      renewals: 0,
      requests: 0,
      lost: false,
    };
    try {
      const { value, status } = await withRetries(() => attempt({ ...params, path }, way, read), {
        pause: (error) => pauseBefore(params, way, error),
        sleep: parts.sleep,
        signal: params.signal,
      });
      report(params, way, status, null);
      return value;
    } catch (error) {
      if (error instanceof SalesforceError) report(params, way, error.status, error.code);
      throw error;
    }
  }

  /** How long to wait before the call is sent again; null where it is not. */
  function pauseBefore(params: CallParams, way: Way, error: HttpError): number | null {
    if (params.body?.canOpen() === false) return null;
    if (isSessionRefused(error) && way.renewals === 0) {
      way.renewals += 1;
      return 0;
    }
    const isSafe = params.method === 'GET' || params.repeatable === true;
    if (!mayRepeat(error, isSafe)) return null;
    const pause = pauseMs(way.attempts - 1 - way.renewals, parts.random);
    if (pause !== null && error.outcome === 'unknown' && params.method !== 'GET') way.lost = true;
    return pause;
  }

  async function attempt<T>(
    params: CallParams,
    way: Way,
    read: Read<T>,
  ): Promise<{ value: T; status: number }> {
    way.attempts += 1;
    const lane = params.lane ?? 'batch';
    budget.admit(lane);
    const leave = await parts.gate.enter(params.signal, lane);
    const deadline = createDeadline({
      ms: parts.timeoutMs,
      signal: params.signal,
      idle: params.isFile === true,
    });
    try {
      // The daily limit may have been reached while this call waited at the gate.
      budget.admit(lane);
      const session = await deadline.orEnded(tokens.get(), peer);
      const answer = await exchange(params, way, session, deadline);
      const value = await read(answer, { deadline, afterLost: way.lost });
      // A file holds its slot until it is read, or given up.
      if (answer.body.closed) leave();
      else answer.body.once('close', leave);
      return { value, status: answer.status };
    } catch (error) {
      deadline.clear();
      leave();
      throw way.lost && error instanceof SalesforceError
        ? error.with({ outcome: 'unknown' })
        : error;
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
      const { method, path } = params;
      const body = params.body?.open() ?? null;
      answer = await parts.wire.send(
        { origin: session.origin, method, path, headers, body },
        deadline,
      );
    } catch (error) {
      if (error instanceof SalesforceError && error.outcome !== 'notSent') count(way);
      throw error;
    }
    count(way);
    parts.clock.note(answer.headers['date'], sentAt, now());
    budget.note(answer.headers['sforce-limit-info']);
    if (answer.status < 300) return answer;
    const error = refusal(answer.status, await readErrorBody(answer), {
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
      retried: way.attempts - 1,
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
function isSessionRefused({ status, code }: HttpError): boolean {
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
    ...(correlationId !== undefined && {
      'x-correlation-id': headerText(correlationId, LONGEST_CORRELATION),
    }),
    authorization: `Bearer ${session.token}`,
  };
}

function refuseLongHead(path: string, headers: Readonly<Record<string, string>>): void {
  const size = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    path.length,
  );
  if (size <= LONGEST_HEAD) return;
  throw peer.invalid(
    'request_too_long',
    `The address and headers of the request take ${size} bytes; Salesforce allows ${LONGEST_HEAD}. Send it as the body of a composite request.`,
  );
}
