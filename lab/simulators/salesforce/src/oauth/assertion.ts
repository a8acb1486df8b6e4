import { createPublicKey, verify } from 'node:crypto';
import type { ConnectedApp } from '../options.ts';

interface Expected {
  readonly apps: readonly ConnectedApp[];
  readonly audiences: readonly string[];
  readonly now: number;
}

interface Subject {
  readonly app: ConnectedApp;
  readonly username: string;
}

/** "OAuth 2.0 JWT Bearer Flow for Server-to-Server Integration": the expiration is within 5 minutes. */
const LONGEST_MS = 300_000;

/** Who an assertion of the JWT bearer grant speaks for. Every doubt is an error. */
export function readAssertion(assertion: string, { apps, audiences, now }: Expected): Subject {
  const [header = '', payload = '', signature = '', ...rest] = assertion.split('.');
  const claims = decode(payload);
  if (rest.length > 0 || decode(header)['alg'] !== 'RS256') throw invalidAssertion();
  const app = apps.find(({ clientId }) => clientId === claims['iss']);
  if (app === undefined) throw new OAuthError('invalid_client_id', 'client identifier invalid');
  if (
    app.certificate === undefined ||
    !isSigned(app.certificate, `${header}.${payload}`, signature)
  ) {
    throw invalidAssertion();
  }
  const { aud, exp, sub } = claims;
  const audience = typeof aud === 'string' ? aud.replace(/\/(services\/oauth2\/token)?$/, '') : '';
  if (!audiences.includes(audience)) throw new OAuthError('invalid_grant', 'audience is invalid');
  if (typeof exp !== 'number' || exp * 1000 <= now) {
    throw new OAuthError('invalid_grant', 'expired authorization code');
  }
  if (exp * 1000 > now + LONGEST_MS) {
    throw new OAuthError('invalid_grant', 'assertion is valid for longer than 5 minutes');
  }
  if (typeof sub !== 'string') throw invalidAssertion();
  return { app, username: sub };
}

function isSigned(certificate: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey(certificate);
    return verify('RSA-SHA256', Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function decode(part: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof json === 'object' && json !== null ? { ...json } : {};
  } catch {
    throw invalidAssertion();
  }
}

function invalidAssertion(): OAuthError {
  return new OAuthError('invalid_grant', 'invalid assertion');
}

/** The token endpoint speaks of errors in its own way: 400 and `{ error, error_description }`. */
export class OAuthError extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}
