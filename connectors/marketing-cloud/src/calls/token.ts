import { MarketingCloudError } from '../errors.ts';
import type { Log } from '../types.ts';
import { instanceBase } from './address.ts';
import { createDeadline } from './deadline.ts';
import { jsonObject, textIn } from './json.ts';
import { scrub } from './scrub.ts';
import type { Answer, Wire } from './wire.ts';

/**
 * A token serves the business unit that it was asked for and no other, so there is one for each. It is used until shortly
 * before `expires_in` ends, and all callers wait for one and the same new one. Marketing Cloud asks for at most one request in
 * 20 minutes and gives tokens 1,079 s: no client comes closer to it than one request for each lifetime.
 */
export interface Tokens {
  get(mid: string): Promise<Session>;
  /** Drops a token that Marketing Cloud refused; a newer one is kept. */
  refused(mid: string, session: Session): void;
  /** How many were asked for. */
  count(): number;
}

export interface Session {
  readonly token: string;
  readonly soap: URL;
  readonly rest: URL;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

export interface TokenParams {
  readonly auth: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly wire: Wire;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly log: Log;
}

/** One business unit. */
interface Account {
  session: Session | null;
  flight: Promise<Session> | null;
  /** When tokens of it were refused, within the last minute. */
  refusedAt: number[];
}

/** How long before its end a token is not used any more; of a short-lived one, a tenth of its life. */
const MARGIN_MS = 30_000;
const USUAL_SECONDS = 1_079;
/** A refused client is asked about again so much later: a wrong secret does not become right by asking. */
const REMEMBER_MS = 60_000;
/** A login that hands out tokens which are refused at once must not become a loop. */
const MOST_REFUSED_A_MINUTE = 5;

export function createTokens(params: TokenParams): Tokens {
  const { now, log } = params;
  const accounts = new Map<string, Account>();
  /** By MID, or under '' where it is the client itself that was refused. */
  const refusals = new Map<
    string,
    { readonly until: number; readonly error: MarketingCloudError }
  >();
  let count = 0;

  function accountOf(mid: string): Account {
    const account = accounts.get(mid) ?? { session: null, flight: null, refusedAt: [] };
    accounts.set(mid, account);
    return account;
  }

  async function get(mid: string): Promise<Session> {
    const account = accountOf(mid);
    if (account.session !== null && now() < account.session.expiresAt) return account.session;
    account.flight ??= renew(mid, account).finally(() => {
      account.flight = null;
    });
    return account.flight;
  }

  async function renew(mid: string, account: Account): Promise<Session> {
    refuseWhatIsKnown(mid);
    refuseTooMany(account);
    try {
      account.session = await ask(mid);
      log.info({ mid }, 'Marketing Cloud gave a new token');
      return account.session;
    } catch (thrown) {
      if (!(thrown instanceof MarketingCloudError)) throw thrown;
      const error = asNotSent(thrown);
      remember(mid, error);
      log.warn({ mid, code: error.code, status: error.status }, `No token: ${error.message}`);
      throw error;
    }
  }

  async function ask(mid: string): Promise<Session> {
    const deadline = createDeadline(params.timeoutMs, undefined);
    const askedAt = now();
    try {
      count += 1;
      const request = {
        grant_type: 'client_credentials',
        client_id: params.clientId,
        client_secret: params.clientSecret,
        account_id: mid,
      };
      const answer = await params.wire.send(
        {
          method: 'POST',
          url: new URL('v2/token', params.auth),
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(request),
        },
        deadline,
      );
      if (answer.status !== 200) throw refusalOf(answer);
      return sessionOf(answer, askedAt);
    } finally {
      deadline.clear();
    }
  }

  function refusalOf({ status, text, retryAfterMs }: Answer): MarketingCloudError {
    const body = jsonObject(text);
    const error = body === null ? '' : textIn(body, 'error') || textIn(body, 'message');
    if (status === 429) {
      return new MarketingCloudError('Marketing Cloud limits how often a token may be asked for.', {
        code: 'token_limit',
        kind: 'limit',
        outcome: 'notSent',
        status,
        retryAfterMs,
      });
    }
    if (status >= 500 || error === '') {
      return new MarketingCloudError(
        `Marketing Cloud's login answered ${status} and no token. Is that the address of its login?`,
        {
          code: 'login_unavailable',
          kind: 'unavailable',
          outcome: 'notSent',
          status,
          retryAfterMs,
        },
      );
    }
    const why = textIn(body ?? {}, 'error_description');
    const said = scrub(`${error}${why === '' ? '' : `: ${why}`}`, [params.clientSecret]);
    return new MarketingCloudError(`Marketing Cloud gave no token. ${said}`, {
      code: error === 'invalid_client' ? 'invalid_client' : 'token_refused',
      kind: 'session',
      outcome: 'notSent',
      status,
    });
  }

  function sessionOf({ text }: Answer, askedAt: number): Session {
    const body = jsonObject(text) ?? {};
    const token = textIn(body, 'access_token');
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new MarketingCloudError("The login's answer holds no token.", {
        code: 'login_unavailable',
        kind: 'unavailable',
        outcome: 'notSent',
      });
    }
    const lifeMs = (Number(body['expires_in']) || USUAL_SECONDS) * 1_000;
    return {
      token,
      soap: instanceBase('soap_instance_url', body['soap_instance_url'], params.auth),
      rest: instanceBase('rest_instance_url', body['rest_instance_url'], params.auth),
      scopes: textIn(body, 'scope').split(/\s+/).filter(Boolean),
      expiresAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10),
    };
  }

  function remember(mid: string, error: MarketingCloudError): void {
    if (error.kind !== 'session' && error.kind !== 'limit') return;
    const isOfAll = error.code === 'invalid_client' || error.kind === 'limit';
    const until = now() + (error.retryAfterMs ?? REMEMBER_MS);
    refusals.set(isOfAll ? '' : mid, { until, error });
  }

  function refuseWhatIsKnown(mid: string): void {
    const known = [refusals.get(''), refusals.get(mid)].find((each) => (each?.until ?? 0) > now());
    if (known === undefined) return;
    const { code, kind, status, message } = known.error;
    const leftMs = known.until - now();
    // When it is asked again is retryAfterMs: in the message it would be wrong as soon as somebody keeps it.
    throw new MarketingCloudError(message, {
      code,
      kind,
      outcome: 'notSent',
      status,
      retryAfterMs: leftMs,
    });
  }

  function refuseTooMany(account: Account): void {
    account.refusedAt = account.refusedAt.filter((at) => now() - at < REMEMBER_MS);
    const [first] = account.refusedAt;
    if (first === undefined || account.refusedAt.length < MOST_REFUSED_A_MINUTE) return;
    const leftMs = first + REMEMBER_MS - now();
    throw new MarketingCloudError(
      `Marketing Cloud refused ${MOST_REFUSED_A_MINUTE} new tokens within a minute.`,
      { code: 'tokens_refused', kind: 'session', outcome: 'notSent', retryAfterMs: leftMs },
    );
  }

  return {
    get,
    refused(mid, session) {
      const account = accountOf(mid);
      if (account.session !== session) return;
      account.session = null;
      account.refusedAt.push(now());
    },
    count: () => count,
  };
}

/** The login's error as one of the call: whatever became of the login, the call was not sent. */
function asNotSent(error: MarketingCloudError): MarketingCloudError {
  if (error.outcome === 'notSent' && error.code !== 'unreachable') return error;
  const { kind, status, retryable, retryAfterMs } = error;
  return new MarketingCloudError(`Login: ${error.message}`, {
    code: error.code === 'unreachable' ? 'login_unavailable' : error.code,
    kind,
    status,
    retryable,
    retryAfterMs,
    outcome: 'notSent',
  });
}
