import { randomBytes } from 'node:crypto';
import { stableUuid } from './identifiers.ts';
import type { Client, Settings, User } from './options.ts';

/**
 * The claims that Entra writes into access tokens of both versions. By "Access token claims reference", "Optional claims reference"
 * and "Access tokens in the Microsoft identity platform", all at learn.microsoft.com/entra/identity-platform/: which
 * version a token has is decided by the API's registration, not by the endpoint that was asked.
 */

export type Claims = Readonly<Record<string, unknown>>;
export type Version = 1 | 2;

/** The value of `iss`. Only that of version 2 ends in `/v2.0`; that of version 1 ends in a slash. */
export function issuerOf(
  { tenant, issuerHost }: Settings,
  origin: string,
  version: Version,
): string {
  const isEntra = issuerHost === 'entra';
  return version === 2
    ? `${isEntra ? 'https://login.microsoftonline.com' : origin}/${tenant}/v2.0`
    : `${isEntra ? 'https://sts.windows.net' : origin}/${tenant}/`;
}

/** "In v2.0 tokens, always the client ID of the API. In v1.0 tokens, the client ID or the resource URI used in the request." */
export function audienceOf({ clientId, tokenVersion }: Settings['api'], resource: string): string {
  return tokenVersion === 2 ? clientId : resource;
}

/** The claims of every token, id tokens included. */
export function frameOf(settings: Settings, origin: string, version: Version, aud: string): Claims {
  const iat = Math.floor(settings.now() / 1000);
  return {
    aud,
    iss: issuerOf(settings, origin, version),
    iat,
    nbf: iat,
    exp: iat + settings.tokenLifetimeSeconds,
    tid: settings.tenant,
    uti: randomBytes(16).toString('base64url'),
    ver: `${version}.0`,
  };
}

/** The program that asked; how it proved itself: 1 with a secret, 0 not at all. */
export function clientClaims({ id, secret }: Client, version: Version): Claims {
  const proof = secret === undefined ? '0' : '1';
  return version === 2 ? { azp: id, azpacr: proof } : { appid: id, appidacr: proof };
}

/** Who has signed in. In version 2 the names take the scope `profile`; in version 1 they are always there. */
export function personClaims(user: User, version: Version, hasProfile: boolean): Claims {
  const { name, username } = user;
  if (version === 1) return { acr: '1', amr: ['pwd'], name, unique_name: username, upn: username };
  return hasProfile ? { name, preferred_username: username } : {};
}

/** An app by itself has no `scp` and no name, and is its own subject. `idtyp` comes only where the API asks for it. */
export function appClaims(client: Client, { tenant, api }: Settings): Claims {
  const oid = stableUuid('client', tenant, client.id);
  return { oid, sub: oid, ...(api.optionalClaims.includes('idtyp') && { idtyp: 'app' }) };
}

/** Left out when there are none. */
export function roleClaims(roles: readonly string[] = []): Claims {
  return roles.length === 0 ? {} : { roles };
}
