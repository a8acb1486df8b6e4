import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { isUnreachable, reasonOf } from '../failure.ts';
import { clean } from '../render/width.ts';
import { SignInError } from './sign-in-error.ts';

/** Turns an error of the library into a sentence. Issuers may echo the request, so secrets are cut out. */
export async function issuerTrouble(
  thrown: unknown,
  issuer: string,
  secrets: readonly string[],
): Promise<unknown> {
  const ours = innermost(thrown);
  if (ours !== null) return ours;
  const told = await troubleOf(thrown);
  if (told === null) return thrown;
  const words = withoutSecrets(told.words, secrets);
  return told.away
    ? new SignInError('unreachable', `The issuer ${issuer} is unavailable: ${words}.`)
    : new SignInError('refused', `The issuer ${issuer} refuses: ${words}.`);
}

interface Trouble {
  /** It may be well again in a moment. */
  readonly away: boolean;
  readonly words: string;
}

/** Null: not the issuer's fault. */
async function troubleOf(thrown: unknown): Promise<Trouble | null> {
  if (thrown instanceof WWWAuthenticateChallengeError) {
    // How a client that is not known, or whose secret is wrong, is answered. The body says which.
    const body = (await thrown.response.json().catch(() => null)) as Partial<Said> | null;
    return { away: false, words: saidBy({ ...body, error: body?.error ?? 'not known' }) };
  }
  if (thrown instanceof ResponseBodyError) {
    return { away: isTransient(thrown.status), words: saidBy(thrown) };
  }
  if (thrown instanceof AuthorizationResponseError) return { away: false, words: saidBy(thrown) };
  if (thrown instanceof ClientError) {
    const { cause } = thrown;
    const status = cause instanceof Response ? cause.status : null;
    return {
      away: thrown.code === 'OAUTH_TIMEOUT' || (status !== null && isTransient(status)),
      words: status === null ? wordsOf(thrown) : `it answered ${status}`,
    };
  }
  if (isUnreachable(thrown)) return { away: true, words: reasonOf(thrown) };
  return null;
}

function isTransient(status: number): boolean {
  return status >= 500 || status === 429;
}

interface Said {
  readonly error: string;
  readonly error_description?: string | undefined;
}

/** `access_denied (The person refused)`: the code is for search engines, the rest for people. */
function saidBy({ error, error_description }: Said): string {
  const words = error_description?.trim().replace(/\.$/, '') ?? '';
  return words === '' ? error : `${error} (${words})`;
}

/** The inner message says which check it was. Those of checks have no values in them; others may. */
function wordsOf({ message, cause }: ClientError): string {
  const isCheck = cause instanceof Error && cause.name === 'OperationProcessingError';
  return isCheck && cause.message !== message ? `${message}, ${cause.message}` : message;
}

/** The library wraps what our own fetch throws. */
function innermost(thrown: unknown): SignInError | null {
  if (thrown instanceof SignInError) return thrown;
  return thrown instanceof Error && thrown.cause !== undefined ? innermost(thrown.cause) : null;
}

/** On one line: some issuers add a trace of several. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '…'), clean(text));
}
