import { isPublic } from '../../directory.ts';
import type { Params } from '../../http.ts';
import type { Issuer } from '../../issuer.ts';
import type { Client } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import { parseAppScope } from '../../scopes.ts';
import { type TokenResponse, bearer } from './response.ts';

export async function clientCredentials(
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
