import {
  type Place,
  checkDistinct,
  checkWholeNumbers,
  invalidOption,
  settlePlace,
} from '@millrace/simulator-kit';
import type { PrivateJwk } from './keys.ts';
import { mayBeRegistered } from './redirect-uri.ts';

export interface User {
  /** What `preferred_username` says, such as `ada@sandbox.test`. */
  readonly username: string;
  readonly name: string;
  /** Left out: signing in takes a click. Only on loopback. */
  readonly password?: string;
  readonly roles: readonly string[];
}

export interface Client {
  readonly id: string;
  /** Left out: a public client, which needs PKCE or a device code. */
  readonly secret?: string;
  /** What the sign-in page calls it. */
  readonly name?: string;
  /** App roles of its own tokens (client credentials). */
  readonly roles?: readonly string[];
  /** Compared letter by letter. A public client may use any http loopback address besides. */
  readonly redirectUris?: readonly string[];
}

export interface IdentityOptions {
  /** `127.0.0.1` when left out. */
  readonly host?: string;
  /** 0, a free one, when left out. */
  readonly port?: number;
  /** The path segment of the issuer, `${origin}/${tenant}/v2.0`. `sandbox` when left out. */
  readonly tenant?: string;
  /** The API's identifier, `api://millrace` when left out. Its scope is `${audience}/.default`. */
  readonly audience?: string;
  readonly users?: readonly User[];
  readonly clients?: readonly Client[];
  /** What `exportKeys` gave, the signing key first. Made when left out. */
  readonly keys?: readonly PrivateJwk[];
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** 3600 when left out. */
  readonly tokenLifetimeSeconds?: number;
}

export interface Settings extends Place {
  readonly tenant: string;
  readonly audience: string;
  readonly users: readonly User[];
  readonly clients: readonly Client[];
  readonly now: () => number;
  readonly tokenLifetimeSeconds: number;
}

/** Options with their defaults, checked. Throws an error with the code `invalid_option`. */
export function settle(options: IdentityOptions): Settings {
  const settings: Settings = {
    ...settlePlace(options, 'It is part of the issuer, which every token repeats.'),
    tenant: options.tenant ?? 'sandbox',
    audience: options.audience ?? 'api://millrace',
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

function checkNames({ tenant, audience, tokenLifetimeSeconds, users, clients }: Settings): void {
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
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(tenant)) {
    throw invalidOption('tenant: give letters, digits, dots and dashes, 64 at most.');
  }
  if (!/^[!#-[\]-~]{1,200}$/.test(audience)) {
    throw invalidOption(
      'audience: give an identifier without blanks and quotes. It is part of scopes.',
    );
  }
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
