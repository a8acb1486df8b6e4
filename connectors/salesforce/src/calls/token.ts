import { type KeyObject, createPrivateKey, sign } from 'node:crypto';
import {
  type Answer,
  type Sleep,
  type Wire,
  createDeadline,
  pauseMs,
  scrub,
  withRetries,
} from '@millrace/http';
import { SalesforceError, peer } from '../errors.ts';
import type { Log, SalesforceConfig } from '../types.ts';
import { defaultAudience, instanceOrigin } from './address.ts';
import type { Clock } from './clock.ts';
import { readErrorBody, readJson } from './read.ts';
import { mayRepeat } from './retry.ts';

/**
 * The session. A token is kept until Salesforce refuses it: neither flow tells how long it will live. All callers wait for one
 * and the same new token, and five answers a minute are the most we ask for: a login that hands out tokens the
 * org then refuses must not become a loop.
 */
export interface Tokens {
  get(): Promise<Session>;
  /** Drops a token that Salesforce refused; a newer one is kept. */
  refused(session: Session): void;
  /** How many were asked for. */
  count(): number;
}

export interface Session {
  readonly token: string;
  readonly origin: string;
}

export interface TokenParams {
  readonly login: URL;
  readonly auth: SalesforceConfig['auth'];
  readonly wire: Wire;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: Sleep;
  readonly log: Log;
}

const MOST_PER_MINUTE = 5;
/** Salesforce takes 3 minutes at most; this leaves room for clocks that differ. */
const ASSERTION_SECONDS = 120;

export function createTokens(params: TokenParams): Tokens {
  const { now, log } = params;
  const grant = createGrant(params);
  let current: Session | null = null;
  let flight: Promise<Session> | null = null;
  let answeredAt: number[] = [];
  let lastRefusal = '';
  let count = 0;

  function get(): Promise<Session> {
    if (current !== null) return Promise.resolve(current);
    flight ??= renew().finally(() => {
      flight = null;
    });
    return flight;
  }

  async function renew(): Promise<Session> {
    refuseTooMany();
    let repeats = 0;
    try {
      current = await withRetries(ask, {
        pause: (error) => (mayRepeat(error, true) ? pauseMs(repeats++, params.random) : null),
        sleep: params.sleep,
      });
      log.info({ instance: current.origin }, 'Salesforce gave a new token');
      return current;
    } catch (error) {
      if (!(error instanceof SalesforceError)) throw error;
      log.warn({ code: error.code, status: error.status }, `No token: ${error.message}`);
      throw asNotSent(error);
    }
  }

  async function ask(): Promise<Session> {
    const deadline = createDeadline({ ms: params.timeoutMs });
    const sentAt = now();
    const form = grant();
    try {
      count += 1;
      const answer = await params.wire.send(
        {
          origin: params.login.origin,
          method: 'POST',
          path: '/services/oauth2/token',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            accept: 'application/json',
          },
          body: Buffer.from(form.toString()),
        },
        deadline,
      );
      params.clock.note(answer.headers['date'], sentAt, now());
      if (answer.status < 500) answeredAt.push(now());
      if (answer.status !== 200) throw refusedBy(answer, await readErrorBody(answer), form);
      return sessionOf(await readJson(answer), params.login);
    } finally {
      deadline.clear();
    }
  }

  function refuseTooMany(): void {
    answeredAt = answeredAt.filter((at) => now() - at < 60_000);
    if (answeredAt.length < MOST_PER_MINUTE) return;
    const waitMs = 60_000 - (now() - (answeredAt[0] ?? now()));
    throw new SalesforceError(
      `${MOST_PER_MINUTE} tokens within a minute did not help${lastRefusal === '' ? '' : ` (${lastRefusal})`}. The next is asked for in ${Math.ceil(waitMs / 1_000)} s.`,
      { code: 'token_limit', kind: 'session', outcome: 'notSent' },
    );
  }

  function refusedBy(answer: Answer, body: unknown, form: URLSearchParams): SalesforceError {
    const { error, error_description: why } = (body ?? {}) as Record<string, unknown>;
    const secrets = [form.get('client_secret') ?? '', form.get('assertion') ?? ''];
    const said = typeof error === 'string' ? `${error}: ${typeof why === 'string' ? why : ''}` : '';
    if (answer.status >= 500) {
      return new SalesforceError(`Salesforce's login answered ${answer.status}.`, {
        code: 'login_unavailable',
        kind: 'unavailable',
        outcome: 'notSent',
        status: answer.status,
      });
    }
    lastRefusal = scrub(said, secrets).slice(0, 300);
    return new SalesforceError(
      said === ''
        ? `Salesforce's login answered ${answer.status} and no token. Is loginUrl right?`
        : `Salesforce gave no token. ${lastRefusal}`,
      { code: 'token_refused', kind: 'session', outcome: 'notSent', status: answer.status },
    );
  }

  return {
    get,
    refused(session) {
      if (current === session) current = null;
    },
    count: () => count,
  };
}

/** The form of either flow. The key is read once, so that a bad one is found at the start. */
function createGrant({ auth, login, clock }: TokenParams): () => URLSearchParams {
  if (auth.type === 'clientCredentials') {
    const { clientId, clientSecret } = auth;
    return () =>
      new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      });
  }
  const key = rsaKey(auth.privateKey);
  const audience = auth.audience ?? defaultAudience(login);
  return () => {
    const claims = {
      iss: auth.clientId,
      sub: auth.username,
      aud: audience,
      exp: Math.floor(clock.now() / 1_000) + ASSERTION_SECONDS,
    };
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
    const signature = sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url');
    return new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${signed}.${signature}`,
    });
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function rsaKey(pem: string): KeyObject {
  try {
    // Environment variables often hold the line ends as two characters.
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // Without a cause: the reason might quote the key.
  }
  throw peer.invalid(
    'invalid_config',
    'privateKey is not an RSA private key in PEM form without a passphrase.',
  );
}

function sessionOf(body: unknown, login: URL): Session {
  const { access_token: token, instance_url: instance } = (body ?? {}) as Record<string, unknown>;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw peer.invalidAnswer("The login's answer holds no token.").with({ outcome: 'notSent' });
  }
  return { token, origin: instanceOrigin(instance, login) };
}

/** The login's error as one of the request: whatever became of the login, the request was not sent. */
function asNotSent(error: SalesforceError): SalesforceError {
  if (error.outcome === 'notSent' && error.code !== 'unreachable') return error;
  const code = error.code === 'unreachable' ? 'login_unavailable' : error.code;
  return error.with({ message: `Login: ${error.message}`, code, outcome: 'notSent' });
}
