import { json } from '@millrace/simulator-kit';
import type { Handler } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import { knownScopes } from '../scopes.ts';
import { GRANT_TYPES } from './token.ts';
import { Refusal } from '../refusal.ts';

const CLAIMS =
  'iss aud sub oid tid sid iat nbf exp ver auth_time nonce name preferred_username email';

export function discoveryEndpoint({ settings, origin, url, paths }: Issuer): Handler {
  const document = {
    issuer: url,
    authorization_endpoint: origin + paths.authorize,
    token_endpoint: origin + paths.token,
    device_authorization_endpoint: origin + paths.devicecode,
    end_session_endpoint: origin + paths.logout,
    jwks_uri: origin + paths.jwks,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment'],
    grant_types_supported: GRANT_TYPES,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: knownScopes(settings.api),
    claims_supported: CLAIMS.split(' '),
    authorization_response_iss_parameter_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
  return () => json(200, document, { 'cache-control': 'public, max-age=300' });
}

export function jwksEndpoint({ keys }: Issuer): Handler {
  return async ({ strikes }) => {
    await strikes.held('jwks-slow');
    if (strikes.strikes('jwks-down') !== null) {
      throw new Refusal('temporarily_unavailable', 'The keys are not available.', 503);
    }
    const answer = json(200, keys.published(), { 'cache-control': 'public, max-age=300' });
    if (strikes.strikes('jwks-garbage') === null) return answer;
    return { ...answer, body: answer.body.slice(0, answer.body.length / 2) };
  };
}
