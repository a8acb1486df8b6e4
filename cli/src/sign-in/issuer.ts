import * as oidc from 'openid-client';
import type { World } from '../world.ts';
import { atMost, noLargerThan } from '../connection/limits.ts';
import { isSafeAddress, parseAddress } from './address.ts';
import { issuerTrouble } from './issuer-trouble.ts';
import { SignInError } from './sign-in-error.ts';

/** The tokens of an issuer. Times are milliseconds since 1970; null if unknown. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresAt: number | null;
}

export interface ClientAccount {
  readonly issuer: string;
  readonly clientId: string;
  /** The secret of a confidential client; people sign in with a public client, which has none. */
  readonly clientSecret?: string;
}

/** A sign-in that goes through a browser. */
export interface BrowserSignIn {
  readonly address: string;
  /** The state of the expected answer. */
  readonly state: string;
  /** Checks the answer (state, nonce, issuer) and turns its code into a token. */
  finish(answer: URL): Promise<Grant>;
}

/** A sign-in that someone does on another device. */
export interface DeviceSignIn {
  readonly address: string;
  readonly userCode: string;
  readonly expiresAt: number;
  readonly pauseMs: number;
  /** `wait`: not yet; `slower`: not yet, and this was too soon. */
  ask(): Promise<Grant | 'wait' | 'slower'>;
}

/** An OpenID Connect issuer, asked as one client. Whatever goes wrong is a SignInError without secrets. */
export interface Issuer {
  readonly hasDeviceCode: boolean;
  asItself(scope: string | null): Promise<Grant>;
  refresh(refreshToken: string): Promise<Grant>;
  byBrowser(scope: string | null, redirectUri: string): Promise<BrowserSignIn>;
  byDevice(scope: string | null): Promise<DeviceSignIn>;
  /** False where the issuer takes no token back. */
  revoke(refreshToken: string): Promise<boolean>;
}

/** Two of these fit into the time that a lock on the credentials is respected. */
const LIMIT_SECONDS = 10;
/** A discovery document has about 2 kB, a token seldom more. */
const LARGEST = 1024 * 1024;
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

export async function findIssuer(world: World, account: ClientAccount): Promise<Issuer> {
  const { issuer, clientSecret } = account;
  const connection: Connection = {
    world,
    issuer,
    config: await telling(issuer, [], () => discover(world, account)),
    asking: (secrets, work) =>
      telling(issuer, clientSecret === undefined ? secrets : [...secrets, clientSecret], work),
  };
  const { config, asking } = connection;
  const { device_authorization_endpoint, revocation_endpoint } = config.serverMetadata();
  return {
    hasDeviceCode: device_authorization_endpoint !== undefined,
    asItself: (scope) =>
      asking([], async () => {
        const asked = scope === null ? {} : { scope };
        return grantOf(await oidc.clientCredentialsGrant(config, asked), world);
      }),
    refresh: (refreshToken) =>
      asking([refreshToken], async () => {
        const grant = grantOf(await oidc.refreshTokenGrant(config, refreshToken), world);
        // An issuer that does not exchange the refresh token leaves it out.
        return { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
      }),
    byBrowser: (scope, redirectUri) => byBrowser(connection, scope, redirectUri),
    byDevice: (scope) => byDevice(connection, scope),
    revoke: (refreshToken) =>
      asking([refreshToken], async () => {
        if (revocation_endpoint === undefined) return false;
        const hint = { token_type_hint: 'refresh_token' };
        await oidc.tokenRevocation(config, refreshToken, hint);
        return true;
      }),
  };
}

interface Connection {
  readonly world: World;
  readonly issuer: string;
  readonly config: oidc.Configuration;
  /** Whatever the work throws is reported without these secrets, and that of the client. */
  asking<T>(secrets: readonly string[], work: () => Promise<T>): Promise<T>;
}

async function byBrowser(
  { world, issuer, config, asking }: Connection,
  scope: string | null,
  redirectUri: string,
): Promise<BrowserSignIn> {
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  const challenge = await oidc.calculatePKCECodeChallenge(pkceCodeVerifier);
  const address = await asking([], async () =>
    oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: personScope(scope),
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }),
  );
  return {
    address: checkedAddress(address, issuer).href,
    state: expectedState,
    finish: (answer) =>
      asking([pkceCodeVerifier, answer.searchParams.get('code') ?? ''], async () => {
        const checks = { pkceCodeVerifier, expectedState, expectedNonce };
        return grantOf(await oidc.authorizationCodeGrant(config, answer, checks), world);
      }),
  };
}

async function byDevice(
  { world, issuer, config, asking }: Connection,
  scope: string | null,
): Promise<DeviceSignIn> {
  const begun = await asking([], () =>
    oidc.initiateDeviceAuthorization(config, { scope: personScope(scope) }),
  );
  const code = begun.device_code;
  return {
    address: checkedAddress(parseAddress(begun.verification_uri), issuer).href,
    userCode: begun.user_code,
    expiresAt: world.now() + begun.expires_in * 1_000,
    pauseMs: (begun.interval ?? 5) * 1_000,
    // One question at a time, not the library's own loop: the pauses are the world's.
    ask: () =>
      asking([code], async () => {
        try {
          const request = { device_code: code };
          return grantOf(await oidc.genericGrantRequest(config, DEVICE_GRANT, request), world);
        } catch (thrown) {
          return notYet(thrown);
        }
      }),
  };
}

async function discover(world: World, account: ClientAccount): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret } = account;
  const place = checkedAddress(parseAddress(issuer), issuer);
  const metadata = {
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    // The library reads the clock of the machine; this makes it the world's.
    [oidc.clockSkew]: Math.round((world.now() - Date.now()) / 1_000),
  };
  return oidc.discovery(place, clientId, metadata, undefined, {
    timeout: LIMIT_SECONDS,
    [oidc.customFetch]: guardedFetch(world, issuer),
    // What is plain and not of this machine is refused by guardedFetch.
    ...(place.protocol === 'http:' && { execute: [oidc.allowInsecureRequests] }),
  });
}

/**
 * Wherever the discovery document points: nothing goes out in the clear. The library's own signal, which has the same
 * limit, is left aside: it is an AbortSignal.timeout, and would be lost in AbortSignal.any.
 */
function guardedFetch({ fetch, interrupted }: World, issuer: string): oidc.CustomFetch {
  return async (url, { body, ...options }) => {
    checkedAddress(parseAddress(url), issuer);
    const response = await fetch(url, {
      ...options,
      ...(body !== undefined && { body }),
      signal: atMost(LIMIT_SECONDS * 1_000, interrupted),
    });
    return noLargerThan(LARGEST, response);
  };
}

function checkedAddress(url: URL | null, issuer: string): URL {
  if (url !== null && isSafeAddress(url)) return url;
  throw new SignInError(
    'refused',
    `The issuer ${issuer} is not used: one of its addresses is not https. Plain http is allowed only on this machine.`,
  );
}

/** With who it is (for the nonce to be checked) and so that it lasts beyond the first hour. */
function personScope(scope: string | null): string {
  return ['openid', 'profile', 'offline_access', ...(scope === null ? [] : [scope])].join(' ');
}

function grantOf(given: oidc.TokenEndpointResponse, { now }: World): Grant {
  return {
    accessToken: given.access_token,
    refreshToken: given.refresh_token ?? null,
    expiresAt: given.expires_in === undefined ? null : now() + given.expires_in * 1_000,
  };
}

function notYet(thrown: unknown): 'wait' | 'slower' {
  if (thrown instanceof oidc.ResponseBodyError) {
    if (thrown.error === 'authorization_pending') return 'wait';
    if (thrown.error === 'slow_down') return 'slower';
  }
  throw thrown;
}

async function telling<T>(
  issuer: string,
  secrets: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw await issuerTrouble(thrown, issuer, secrets);
  }
}
