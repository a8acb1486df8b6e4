import { storableText } from '@millrace/engine';
import type { JWTPayload } from 'jose';

const NAME_LIMIT = 200;
const TENANT_LIMIT = 100;

/**
 * What a caller is called, by Entra's "Access token claims reference" and "Optional claims reference". A program is
 * `app:` and the id of its registration, whatever else it is called: its display name is its owner's choice, and
 * `alice@example.com` is as good a choice as any.
 */
export function nameOf(claims: JWTPayload): string {
  const username = usernameOf(claims);
  if (isApp(claims)) return `app:${registrationOf(claims) ?? subjectOf(claims)}`;
  if (username === null) return `user:${subjectOf(claims)}`;
  return /^(app|user):/i.test(username) ? `user:${username}` : username;
}

/**
 * What has to be altered to be kept could become the name of somebody else, and with it what is theirs: `\u0000app:x` is
 * no `app:x`, and two long names are not one because they begin alike.
 */
export function isName(given: string): boolean {
  return isKept(given, NAME_LIMIT) && !/\p{Cc}/u.test(given);
}

/** Empty: the only tenant. */
export function isTenantName(given: string): boolean {
  return isKept(given, TENANT_LIMIT);
}

function isKept(given: string, limit: number): boolean {
  return given === storableText(given, limit);
}

/** `oid` is the same for every application of a tenant; other issuers have `sub` alone. */
export function subjectOf(claims: JWTPayload): string {
  return text(claims, 'oid') ?? text(claims, 'sub') ?? 'unknown';
}

/**
 * `idtyp` says it, where the API's registration asks for that claim. Without it: `scp` is in tokens of people alone; an app
 * has no user name, or is its own subject (`sub` is its `oid`, or as RFC 9068 has it the client).
 */
function isApp(claims: JWTPayload): boolean {
  const type = text(claims, 'idtyp');
  if (type !== null) return type !== 'user';
  if (text(claims, 'scp') !== null) return false;
  const own = [text(claims, 'oid'), registrationOf(claims)];
  return usernameOf(claims) === null || own.includes(text(claims, 'sub'));
}

/** Version 2 of Entra's tokens has the first, version 1 the others. */
function usernameOf(claims: JWTPayload): string | null {
  return text(claims, 'preferred_username') ?? text(claims, 'upn') ?? text(claims, 'unique_name');
}

/** Version 2 has `azp`, version 1 `appid`, RFC 9068 `client_id`. */
function registrationOf(claims: JWTPayload): string | null {
  return text(claims, 'azp') ?? text(claims, 'appid') ?? text(claims, 'client_id');
}

function text(claims: JWTPayload, name: string): string | null {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
