import { randomUUID } from 'node:crypto';
import {
  type Deadline,
  type Gate,
  type HttpError,
  type Sleep,
  createDeadline,
  headerText,
  isTransient,
  pauseMs,
  scrub,
  withRetries,
} from '@millrace/http';
import { MarketingCloudError, peer } from '../errors.ts';
import type { CallOptions, CallReport, Stats } from '../types.ts';
import type { Answer, Ask, Request } from './ask.ts';
import type { Session } from './login.ts';
import type { Pauses } from './pauses.ts';
import type { Tokens } from './token.ts';

/**
 * The way of a call: through the gate, with a token, sent, read. A refused token is renewed once; what may be sent again is sent
 * again; then the call is reported, however it ended.
 */
export interface Caller {
  call<T>(call: Call<T>): Promise<T>;
  /** The token of a business unit, without a call. */
  session(mid: string, options: CallOptions): Promise<Session>;
  stats(): Omit<Stats, 'tokens'>;
}

export interface Call<T> {
  readonly mid: string;
  /** As in CallReport. */
  readonly operation: string;
  /** It changes nothing: it may be sent again when nobody knows whether it was done. */
  readonly isRead: boolean;
  readonly options: CallOptions;
  request(session: Session): Request;
  /** Throws what the answer refuses. */
  read(answer: Answer): T;
}

export interface CallerParams {
  readonly timeoutMs: number;
  readonly ask: Ask;
  readonly gate: Gate;
  readonly tokens: Tokens;
  readonly pauses: Pauses;
  /** Never in a message. */
  readonly clientSecret: string;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly onCall: (report: CallReport) => void;
}

/** How far a call has come. */
interface Way {
  readonly startedAt: number;
  readonly correlationId: string;
  attempts: number;
  /** Of the token. */
  renewals: number;
  requests: number;
  status: number | null;
}

const LONGEST_CORRELATION = 200;

export function createCaller(parts: CallerParams): Caller {
  const { now, tokens, gate, ask, pauses } = parts;
  let calls = 0;
  const byOperation = new Map<string, number>();

  async function call<T>(asked: Call<T>): Promise<T> {
    const way: Way = {
      startedAt: now(),
      correlationId: headerText(asked.options.correlationId ?? randomUUID(), LONGEST_CORRELATION),
      attempts: 0,
      renewals: 0,
      requests: 0,
      status: null,
    };
    try {
      const value = await withRetries(() => attempt(asked, way), {
        pause: (error) => pauseBefore(asked, way, error),
        sleep: parts.sleep,
        signal: asked.options.signal,
      });
      report(asked, way, null);
      return value;
    } catch (error) {
      if (error instanceof MarketingCloudError) report(asked, way, error.code);
      throw error;
    }
  }

  /**
   * How long to wait before the call is sent again; null where it is not. A write is sent again only if it cannot have been done:
   * it never left, or Marketing Cloud did not let it in.
   */
  function pauseBefore<T>(asked: Call<T>, way: Way, error: HttpError): number | null {
    // Refused before it did anything, since it is the token that was refused: this holds for writes as well.
    if (isTokenRefused(error) && way.renewals === 0) {
      way.renewals += 1;
      return 0;
    }
    // A timeout took a minute already, and its request may still be running.
    if (error.code === 'timeout' || !isTransient(error, asked.isRead)) return null;
    return pauseMs(way.attempts - 1 - way.renewals, parts.random, error);
  }

  async function attempt<T>(asked: Call<T>, way: Way): Promise<T> {
    const { mid, options } = asked;
    way.attempts += 1;
    way.status = null;
    pauses.admit(mid);
    const leave = await gate.enter(options.signal);
    const deadline = createDeadline({ ms: parts.timeoutMs, signal: options.signal });
    try {
      const session = await deadline.orEnded(tokens.get(mid), peer);
      const answer = await exchange(asked, way, { session, deadline });
      try {
        return asked.read(answer);
      } catch (thrown) {
        throw refused(asked, way, { session, thrown });
      }
    } finally {
      deadline.clear();
      leave();
    }
  }

  async function exchange<T>(
    asked: Call<T>,
    way: Way,
    { session, deadline }: { readonly session: Session; readonly deadline: Deadline },
  ): Promise<Answer> {
    const request = asked.request(session);
    const headers = { ...request.headers, 'x-correlation-id': way.correlationId };
    try {
      const answer = await ask({ ...request, headers }, deadline);
      way.status = answer.status;
      count(asked, way);
      return answer;
    } catch (error) {
      if (error instanceof MarketingCloudError && error.outcome !== 'notSent') count(asked, way);
      throw error;
    }
  }

  /** What follows from a refusal for the calls after this one, and what its caller may read of it. */
  function refused<T>(
    { mid }: Call<T>,
    way: Way,
    { session, thrown }: { readonly session: Session; readonly thrown: unknown },
  ): unknown {
    if (!(thrown instanceof MarketingCloudError)) return thrown;
    pauses.note(mid, thrown);
    let message = scrub(thrown.message, [session.token, parts.clientSecret]);
    if (isTokenRefused(thrown)) {
      tokens.refused(mid, session);
      if (way.renewals > 0) {
        message += ` A new token was refused too: does the installed package have business unit ${mid} and all scopes?`;
      }
    }
    return message === thrown.message ? thrown : thrown.with({ message });
  }

  function count<T>({ operation }: Call<T>, way: Way): void {
    calls += 1;
    way.requests += 1;
    byOperation.set(operation, (byOperation.get(operation) ?? 0) + 1);
  }

  function report<T>({ mid, operation }: Call<T>, way: Way, errorCode: string | null): void {
    parts.onCall({
      mid,
      operation,
      status: way.status,
      errorCode,
      durationMs: now() - way.startedAt,
      retried: way.attempts - 1,
      requests: way.requests,
      correlationId: way.correlationId,
    });
  }

  async function tokenOf(mid: string, { signal }: CallOptions): Promise<Session> {
    const deadline = createDeadline({ ms: parts.timeoutMs, signal });
    try {
      return await deadline.orEnded(tokens.get(mid), peer);
    } finally {
      deadline.clear();
    }
  }

  return {
    call,
    session: tokenOf,
    stats: () => ({ calls, byOperation: Object.fromEntries(byOperation) }),
  };
}

/** Of a call, that is; a refused client is left out: another token would not help there, and none was to be had. */
function isTokenRefused({ kind, outcome }: HttpError): boolean {
  return kind === 'session' && outcome === 'refused';
}
