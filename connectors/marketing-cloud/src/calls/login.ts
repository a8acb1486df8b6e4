import { createDeadline, scrub } from '@millrace/http';
import { MarketingCloudError } from '../errors.ts';
import { instanceBase } from './address.ts';
import type { Answer, Ask } from './ask.ts';
import { jsonObject, textIn } from './json.ts';

/** One question for a token, and what its answer says. */
export type Login = (mid: string) => Promise<Session>;

export interface Session {
  readonly token: string;
  readonly soap: URL;
  readonly rest: URL;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
}

export interface LoginParams {
  readonly auth: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly ask: Ask;
  readonly timeoutMs: number;
  readonly now: () => number;
}

/** How long before its end a token is not used any more; of a short-lived one, a tenth of its life. */
const MARGIN_MS = 30_000;
const USUAL_SECONDS = 1_079;

/** Its errors are those of the call that needs the token, which was not sent, whatever became of the login. */
export function createLogin(params: LoginParams): Login {
  async function login(mid: string): Promise<Session> {
    const deadline = createDeadline({ ms: params.timeoutMs });
    const askedAt = params.now();
    try {
      const request = {
        grant_type: 'client_credentials',
        client_id: params.clientId,
        client_secret: params.clientSecret,
        account_id: mid,
      };
      const answer = await params.ask(
        {
          method: 'POST',
          url: new URL('v2/token', params.auth),
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(request),
        },
        deadline,
      );
      if (answer.status !== 200) throw refusalOf(answer, params.clientSecret);
      return sessionOf(answer, params.auth, askedAt);
    } finally {
      deadline.clear();
    }
  }

  return async (mid) => {
    try {
      return await login(mid);
    } catch (thrown) {
      throw thrown instanceof MarketingCloudError ? asNotSent(thrown) : thrown;
    }
  };
}

function refusalOf(
  { status, text, retryAfterMs }: Answer,
  clientSecret: string,
): MarketingCloudError {
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
  const said = scrub(`${error}${why === '' ? '' : `: ${why}`}`, [clientSecret]);
  return new MarketingCloudError(`Marketing Cloud gave no token. ${said}`, {
    code: error === 'invalid_client' ? 'invalid_client' : 'token_refused',
    kind: 'session',
    outcome: 'notSent',
    status,
  });
}

function sessionOf({ text }: Answer, auth: URL, askedAt: number): Session {
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
    soap: instanceBase('soap_instance_url', body['soap_instance_url'], auth),
    rest: instanceBase('rest_instance_url', body['rest_instance_url'], auth),
    scopes: textIn(body, 'scope').split(/\s+/).filter(Boolean),
    expiresAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10),
  };
}

/** The login's error as one of the call: whatever became of the login, the call was not sent. */
function asNotSent(error: MarketingCloudError): MarketingCloudError {
  if (error.outcome === 'notSent' && error.code !== 'unreachable') return error;
  const code = error.code === 'unreachable' ? 'login_unavailable' : error.code;
  return error.with({ message: `Login: ${error.message}`, code, outcome: 'notSent' });
}
