import type { Code } from '../../codes.ts';
import type { Params } from '../../http.ts';
import { challengeOf, sameSecret } from '../../identifiers.ts';
import type { Issuer } from '../../issuer.ts';
import type { Client } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import { type TokenResponse, personTokens } from './response.ts';

export async function authorizationCode(
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
