import { createHash } from 'node:crypto';
import { signIn } from './browser.ts';
import { ADA, API_SCOPE, CALLBACK, type World } from './world.ts';

export const VERIFIER = 'a-verifier-of-forty-three-letters-or-more-0123';

export type Fields = Readonly<Record<string, string | undefined>>;

/** A good request of the public client `cli`; `undefined` takes a parameter away. */
export function authorizeUrl(world: World, changes: Fields = {}): URL {
  const url = new URL(world.endpoint.authorize);
  url.search = encoded({
    client_id: 'cli',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: `openid profile offline_access ${API_SCOPE}`,
    state: 'the state',
    nonce: 'the nonce',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }).toString();
  return url;
}

/** Signs Ada in and gives her code. */
export async function codeFor(world: World, changes: Fields = {}): Promise<string> {
  const { location, text } = await signIn(authorizeUrl(world, changes), ADA);
  const code = location?.searchParams.get('code');
  if (typeof code !== 'string') throw new Error(`The sign-in gave no code:\n${text}`);
  return code;
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function askToken(
  world: World,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> {
  const response = await fetch(world.endpoint.token, {
    method: 'POST',
    headers,
    body: encoded(fields),
  });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
}

/** A good exchange of the public client `cli`. */
export function redeem(world: World, code: string, changes: Fields = {}): Promise<TokenAnswer> {
  return askToken(world, {
    grant_type: 'authorization_code',
    client_id: 'cli',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...changes,
  });
}

export function refresh(world: World, token: unknown, changes: Fields = {}): Promise<TokenAnswer> {
  return askToken(world, {
    grant_type: 'refresh_token',
    client_id: 'cli',
    refresh_token: String(token),
    ...changes,
  });
}

function encoded(fields: Fields): URLSearchParams {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given as [string, string][]);
}
