import { json } from '@millrace/simulator-kit';
import { type Handler, type Params, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import type { Client } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { authenticate } from './client-authentication.ts';
import type { Code } from '../codes.ts';
import { challengeOf, sameSecret } from '../identifiers.ts';
import { isPublic } from '../directory.ts';
import { narrow, parseAppScope, type Scopes } from '../scopes.ts';
import type { Session } from '../sessions.ts';

type Grant = (issuer: Issuer, client: Client, params: Params) => Promise<TokenResponse>;

const GRANTS: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
  ['client_credentials', clientCredentials],
  ['urn:ietf:params:oauth:grant-type:device_code', deviceCode],
]);

export const GRANT_TYPES: readonly string[] = [...GRANTS.keys()];

export function tokenEndpoint(issuer: Issuer): Handler {
  return async (incoming) => {
    if (incoming.strikes.strikes('token-down') !== null) {
      throw new Refusal('temporarily_unavailable', 'No tokens are given at the moment.', 503);
    }
    const params = readParams(incoming.form());
    const type = params.get('grant_type');
    if (type === undefined) throw new Refusal('invalid_request', 'grant_type is missing.');
    const grant = GRANTS.get(type);
    if (grant === undefined) {
      throw new Refusal('unsupported_grant_type', `Known grants are: ${GRANT_TYPES.join(', ')}.`);
    }
    const client = authenticate(issuer, incoming, params);
    return json(200, await grant(issuer, client, params), { pragma: 'no-cache' });
  };
}

async function authorizationCode(
  issuer: Issuer,
  client: Client,
  params: Params,
): Promise<TokenResponse> {
  const text = params.get('code');
  if (text === undefined) throw new Refusal('invalid_request', 'code is missing.');
  const code = issuer.codes.redeem(text);
  if (code === null) {
    throw new Refusal('invalid_grant', 'The code is unknown, expired or was used before.');
  }
  if (code.session.client.id !== client.id) {
    throw new Refusal('invalid_grant', 'The code was given to another client.');
  }
  if (params.get('redirect_uri') !== code.redirectUri) {
    throw new Refusal('invalid_grant', 'redirect_uri is not the one that the code was sent to.');
  }
  checkProof(code, params.get('code_verifier'));
  return personTokens(issuer, code.session, code.session.scopes, code.nonce);
}

/** A verifier without a challenge is refused too: someone may have cut the challenge off on its way. */
function checkProof({ challenge }: Code, verifier: string | undefined): void {
  if (challenge === undefined && verifier === undefined) return;
  if (challenge === undefined) {
    throw new Refusal('invalid_grant', 'There is a code_verifier, but there was no challenge.');
  }
  if (verifier === undefined || !sameSecret(challengeOf(verifier), challenge)) {
    throw new Refusal('invalid_grant', 'code_verifier does not fit the code_challenge.');
  }
}

async function clientCredentials(
  issuer: Issuer,
  client: Client,
  params: Params,
): Promise<TokenResponse> {
  if (isPublic(client)) {
    throw new Refusal('unauthorized_client', 'A client without a secret cannot act as itself.');
  }
  const resource = parseAppScope(params.get('scope'), issuer.settings.api);
  return bearer(issuer, await issuer.tokens.forApp(client, resource));
}

async function deviceCode(issuer: Issuer, client: Client, params: Params): Promise<TokenResponse> {
  const code = params.get('device_code');
  if (code === undefined) throw new Refusal('invalid_request', 'device_code is missing.');
  return personTokens(issuer, issuer.devices.poll(code, client));
}

async function refreshToken(
  issuer: Issuer,
  client: Client,
  params: Params,
): Promise<TokenResponse> {
  const text = params.get('refresh_token');
  if (text === undefined) throw new Refusal('invalid_request', 'refresh_token is missing.');
  const session = issuer.sessions.present(text, client);
  if (session === null) {
    throw new Refusal('invalid_grant', 'The refresh token is unknown, expired or was used before.');
  }
  const scopes = narrow(params.get('scope'), session.scopes);
  issuer.sessions.spend(text);
  return personTokens(issuer, session, scopes);
}

interface TokenResponse {
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly ext_expires_in: number;
  readonly access_token: string;
  readonly scope?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

function bearer({ settings }: Issuer, accessToken: string): TokenResponse {
  const lasts = settings.tokenLifetimeSeconds;
  return {
    token_type: 'Bearer',
    expires_in: lasts,
    ext_expires_in: lasts,
    access_token: accessToken,
  };
}

/** The tokens of a person's sign-in, now or refreshed. */
async function personTokens(
  issuer: Issuer,
  session: Session,
  scopes: Scopes = session.scopes,
  nonce?: string,
): Promise<TokenResponse> {
  const { sessions, tokens } = issuer;
  const lasting = session.scopes.includes('offline_access');
  const issued = lasting ? sessions.issueRefreshToken(session) : null;
  if (session.ended) throw new Refusal('invalid_grant', 'This sign-in has ended.');
  return {
    ...bearer(issuer, await tokens.forUser(session, scopes)),
    scope: scopes.join(' '),
    ...(issued === null ? {} : { refresh_token: issued }),
    ...(scopes.includes('openid')
      ? { id_token: await tokens.idToken(session, scopes, nonce) }
      : {}),
  };
}
