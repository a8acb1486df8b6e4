import type { SignIn } from '@millrace/api';
import type { AuthorizationServer } from 'oauth4webapi';

/** The tokens of a sign-in. `expiresAt`: milliseconds since 1970. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  readonly expiresAt: number;
}

/** A sign-in that was begun: where to send the person, and what the answer is checked against. */
export interface Begun {
  readonly url: URL;
  readonly state: string;
  readonly verifier: string;
}

export interface Issuer {
  /** Where the person signs out; null: the issuer has no such page. */
  readonly endSession: string | null;
  begin(scope: string): Promise<Begun>;
  /** Redeems the code of an answer, if it is one of this issuer to that sign-in. */
  redeem(answer: URLSearchParams, begun: Pick<Begun, 'state' | 'verifier'>): Promise<Tokens>;
  /** Null: the issuer does not take the refresh token any more. */
  renew(refresh: string, scope: string): Promise<Tokens | null>;
}

/** The clock of the person's machine may be wrong by hours; tokens are judged by the service's. */
const CLOCK_TOLERANCE_S = 86_400;

/**
 * The issuer as its discovery document describes it, by `oauth4webapi`, which comes with the first sign-in or renewal (7 kB). It
 * checks that the document is this issuer's (OpenID Connect Discovery, 4.3), that an answer is of the issuer and of this sign-in
 * (RFC 9207), and the claims of the ID token.
 */
export async function openIssuer({ issuer, clientId }: SignIn, callback: string): Promise<Issuer> {
  if (issuer === null) throw new Error('This server has no sign-in service configured.');
  const address = new URL(issuer);
  const oauth = await import('oauth4webapi');
  // The server decides which issuer is trusted. In the sandbox it is one on loopback, without TLS.
  const options = { [oauth.allowInsecureRequests]: address.protocol === 'http:' };
  const client = { client_id: clientId ?? '', [oauth.clockTolerance]: CLOCK_TOLERANCE_S };
  const server = await discovered();

  async function discovered(): Promise<AuthorizationServer> {
    const response = await oauth.discoveryRequest(address, options);
    if (!response.ok) throw new Error(`The sign-in service answered ${response.status}.`);
    const said = ((await response.clone().json()) as { issuer?: unknown }).issuer;
    // To the letter, where the library takes a slash at the end for none.
    if (said !== issuer)
      throw new Error(
        `The sign-in service identifies itself as ${String(said)}; this server trusts ${issuer}.`,
      );
    return oauth.processDiscoveryResponse(address, response);
  }

  function tokensOf(given: {
    access_token: string;
    refresh_token?: string;
    expires_in?: number;
  }): Tokens {
    return {
      access: given.access_token,
      refresh: given.refresh_token ?? null,
      expiresAt: Date.now() + (given.expires_in ?? 3600) * 1000,
    };
  }

  /** Null: the issuer does not take what was sent. */
  function taken(response: Response): Response | null {
    if (response.status >= 400 && response.status < 500) return null;
    if (!response.ok) throw new Error(`The sign-in service answered ${response.status}.`);
    return response;
  }

  return {
    endSession: server.end_session_endpoint ?? null,
    async begin(scope) {
      if (!isSecureContext)
        throw new Error(
          `Sign-in works only over HTTPS or on localhost. Open the console at such an address instead of ${location.origin}.`,
        );
      if (server.authorization_endpoint === undefined)
        throw new Error('The sign-in service has no page to sign in at.');
      const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
      const url = new URL(server.authorization_endpoint);
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: callback,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString();
      return { url, state, verifier };
    },
    async redeem(answer, { state, verifier }) {
      const checked = checkedAnswer(answer, state);
      const response = taken(
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          checked,
          callback,
          verifier,
          options,
        ),
      );
      if (response === null)
        throw new Error('The sign-in service rejected the code. Sign in again.');
      return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response));
    },
    async renew(refresh, scope) {
      const response = taken(
        await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, {
          ...options,
          additionalParameters: { scope },
        }),
      );
      return (
        response && tokensOf(await oauth.processRefreshTokenResponse(server, client, response))
      );
    },
  };

  function checkedAnswer(answer: URLSearchParams, state: string): URLSearchParams {
    try {
      return oauth.validateAuthResponse(server, client, answer, state);
    } catch (error) {
      if (error instanceof oauth.AuthorizationResponseError)
        throw new Error(error.error_description ?? 'The sign-in was refused.', { cause: error });
      throw new Error('The answer is from another sign-in service. Sign in again.', {
        cause: error,
      });
    }
  }
}
