import type { Params } from '../../http.ts';
import type { Issuer } from '../../issuer.ts';
import type { Client } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import { type TokenResponse, personTokens } from './response.ts';

export async function deviceCode(
  issuer: Issuer,
  client: Client,
  params: Params,
): Promise<TokenResponse> {
  const code = params.get('device_code');
  if (code === undefined) throw new Refusal('invalid_request', 'device_code is missing.');
  return personTokens(issuer, issuer.devices.poll(code, client));
}
