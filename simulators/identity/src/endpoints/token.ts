import { json } from '@millrace/simulator-kit';
import { type Handler, type Params, readParams } from '../http.ts';
import type { Issuer } from '../issuer.ts';
import type { Client } from '../options.ts';
import { Refusal } from '../refusal.ts';
import { authenticate } from './client-authentication.ts';
import { authorizationCode } from './grants/authorization-code.ts';
import { clientCredentials } from './grants/client-credentials.ts';
import { deviceCode } from './grants/device-code.ts';
import { refreshToken } from './grants/refresh-token.ts';
import type { TokenResponse } from './grants/response.ts';

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
