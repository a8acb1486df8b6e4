import type { Params } from '../../http.ts';
import type { Issuer } from '../../issuer.ts';
import type { Client } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import { narrow } from '../../scopes.ts';
import { type TokenResponse, personTokens } from './response.ts';

export async function refreshToken(
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
