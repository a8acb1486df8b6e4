import {
  checkDistinct,
  checkWholeNumbers,
  invalidOption,
  isLoopbackName,
  parseUrl,
  type Place,
  settlePlace,
} from '@millrace/simulator-kit';
import type { PrivateJwk } from './keys.ts';

export interface User {
  /** The value of `preferred_username`, such as `ada@sandbox.test`. */
  readonly username: string;
  readonly name: string;
  /** Left out: signing in takes a click. Only on loopback. */
  readonly password?: string;
  readonly roles: readonly string[];
  /** Claims of access tokens beside those of every user, as a claims mapping policy of Entra adds them. */
  readonly claims?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Client {
  readonly id: string;
  /** Left out: a public client, which needs PKCE or a device code. */
  readonly secret?: string;
  /** The name on the sign-in page. */
  readonly name?: string;
  /** App roles of its own tokens (client credentials). */
  readonly roles?: readonly string[];
  /** Compared letter by letter. A public client may use any http loopback address besides. */
  readonly redirectUris?: readonly string[];
}

/** The app registration of the API, which says what its tokens are like. */
export interface Api {
  /** A GUID. One of the sandbox when left out. */
  readonly clientId?: string;
  /** The Application ID URI, `api://CLIENT-ID` when left out. Its scopes begin with it. */
  readonly appIdUri?: string;
  /** `requestedAccessTokenVersion` of the manifest. 2 when left out; Entra's own default is 1. */
  readonly tokenVersion?: 1 | 2;
  /** Optional claims of access tokens that are switched on. None when left out, as in Entra. */
  readonly optionalClaims?: readonly OptionalClaim[];
}

type OptionalClaim = 'idtyp';

export interface IdentityOptions {
  /** `127.0.0.1` when left out. */
  readonly host?: string;
  /** 0, a free one, when left out. */
  readonly port?: number;
  /** A GUID, the value of `tid` and a part of every path. One of the sandbox when left out. */
  readonly tenant?: string;
  /**
   * The issuer that `iss` names. `own`, when left out: this server, so that clients find it by discovery.
   * `entra`: Entra's, for verifiers whose ISSUER is to stay what it is in production; only JWKS_URI leads here.
   */
  readonly issuerHost?: 'own' | 'entra';
  readonly api?: Api;
  readonly users?: readonly User[];
  readonly clients?: readonly Client[];
  /** The result of `exportKeys`, the signing key first. Made when left out. */
  readonly keys?: readonly PrivateJwk[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 3600 when left out. */
  readonly tokenLifetimeSeconds?: number;
}

export interface Settings extends Place {
  readonly tenant: string;
  readonly issuerHost: 'own' | 'entra';
  readonly api: Required<Api>;
  readonly users: readonly User[];
  readonly clients: readonly Client[];
  readonly now: () => number;
  readonly tokenLifetimeSeconds: number;
}

const SANDBOX_TENANT = '5a4db0c5-0000-4000-8000-000000000001';
const SANDBOX_API = '5a4db0c5-0000-4000-8000-000000000002';

/** Options with their defaults, checked. Throws an error with the code `invalid_option`. */
export function settle(options: IdentityOptions): Settings {
  const { clientId = SANDBOX_API, ...api } = options.api ?? {};
  const settings: Settings = {
    ...settlePlace(options, 'It is part of the issuer, which every token repeats.'),
    tenant: options.tenant ?? SANDBOX_TENANT,
    issuerHost: options.issuerHost ?? 'own',
    api: {
      appIdUri: `api://${clientId}`,
      tokenVersion: 2,
      optionalClaims: [],
      ...api,
      clientId,
    },
    users: options.users ?? [],
    clients: options.clients ?? [],
    now: options.now ?? Date.now,
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 3600,
  };
  checkNames(settings);
  for (const user of settings.users) checkUser(user, settings.onLoopback);
  for (const client of settings.clients) checkClient(client);
  return settings;
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function checkNames({ tenant, api, tokenLifetimeSeconds, users, clients }: Settings): void {
  checkWholeNumbers({ tokenLifetimeSeconds }, { tokenLifetimeSeconds: 1 });
  checkDistinct(
    'users',
    'username',
    users.map(({ username }) => username),
  );
  checkDistinct(
    'clients',
    'id',
    clients.map(({ id }) => id),
  );
  if (!GUID.test(tenant)) throw invalidOption('tenant: give a GUID in small letters.');
  if (!GUID.test(api.clientId))
    throw invalidOption('api: give clientId as a GUID in small letters.');
  if (!/^[!#-[\]-~]{1,200}$/.test(api.appIdUri)) {
    throw invalidOption('api: give an appIdUri without blanks and quotes. It is part of scopes.');
  }
  if (![1, 2].includes(api.tokenVersion)) throw invalidOption('api: tokenVersion is 1 or 2.');
}

function checkUser({ username, password }: User, onLoopback: boolean): void {
  if (password === '') {
    throw invalidOption(
      `users: the password of ${username} is empty. Leave it out for a user without.`,
    );
  }
  if (password === undefined && !onLoopback) {
    throw invalidOption(
      `users: ${username} has no password, and this address is open to others. Give one, or listen on 127.0.0.1.`,
    );
  }
}

function checkClient({ id, secret, redirectUris = [] }: Client): void {
  if (secret === '') {
    throw invalidOption(`clients: the secret of ${id} is empty. Leave it out for a public client.`);
  }
  for (const text of redirectUris) {
    if (!mayBeRegistered(text)) {
      throw invalidOption(
        `clients: a redirect URI of ${id} will not do. Give https, or http on loopback, without user name and fragment.`,
      );
    }
  }
}

/** Where programs on this machine wait for their code: plain HTTP, any port, any path (RFC 8252, 7.3). */
export function isLoopbackRedirect(text: string): boolean {
  const url = parseUrl(text);
  return (
    url !== null && url.protocol === 'http:' && isLoopbackName(url.hostname) && isPlain(url, text)
  );
}

/** Redirect URIs that may be registered: https, or http on loopback. */
function mayBeRegistered(text: string): boolean {
  const url = parseUrl(text);
  if (url === null || !isPlain(url, text)) return false;
  return url.protocol === 'https:' || isLoopbackRedirect(text);
}

/** A redirect may carry neither a user name, which would disguise its host, nor a fragment. */
function isPlain(url: URL, text: string): boolean {
  return url.username === '' && url.password === '' && !text.includes('#');
}
