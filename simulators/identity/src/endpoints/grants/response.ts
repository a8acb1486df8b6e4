import type { Issuer } from '../../issuer.ts';
import { Refusal } from '../../refusal.ts';
import type { Scopes } from '../../scopes.ts';
import type { Session } from '../../sessions.ts';

export interface TokenResponse {
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly ext_expires_in: number;
  readonly access_token: string;
  readonly scope?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

export function bearer({ settings }: Issuer, accessToken: string): TokenResponse {
  const lasts = settings.tokenLifetimeSeconds;
  return {
    token_type: 'Bearer',
    expires_in: lasts,
    ext_expires_in: lasts,
    access_token: accessToken,
  };
}

/** What a person's sign-in gives, now or refreshed. */
export async function personTokens(
  issuer: Issuer,
  session: Session,
  scopes: Scopes = session.scopes,
  nonce?: string,
): Promise<TokenResponse> {
  const { sessions, tokens } = issuer;
  const lasting = session.scopes.includes('offline_access');
  const refreshToken = lasting ? sessions.issueRefreshToken(session) : null;
  if (session.ended) throw new Refusal('invalid_grant', 'This sign-in has ended.');
  return {
    ...bearer(issuer, await tokens.forUser(session, scopes)),
    scope: scopes.join(' '),
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    ...(scopes.includes('openid')
      ? { id_token: await tokens.idToken(session, scopes, nonce) }
      : {}),
  };
}
