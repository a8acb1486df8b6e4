import { storableText } from '@millrace/engine';
import type { JWTPayload } from 'jose';

const NAME_LIMIT = 200;
const TENANT_LIMIT = 100;
const PROGRAM = 'app:';

/**
 * What a caller is called, by Entra's "Access token claims reference" and "Optional claims reference". A program is
 * `app:` and the id of its registration, whatever else it is called: its display name is its owner's choice, and
 * `alice@example.com` is as good a choice as any.
 */
export function nameOf(claims: JWTPayload, subject: string): string {
  const username = usernameOf(claims);
  if (isApp(claims)) return `${PROGRAM}${registrationOf(claims) ?? subject}`;
  if (username === null) return nameOfSubject(subject);
  return /^(app|user):/i.test(username) ? `user:${username}` : username;
}

/** Of a person whose token has no name, or whose name is somebody else's here. */
export function nameOfSubject(subject: string): string {
  return `user:${subject}`;
}

/** No person has such a name: see `nameOf`. */
export function isNameOfProgram(name: string): boolean {
  return name.startsWith(PROGRAM);
}

/**
 * What nobody sees in a name (controls, zero-width and bidirectional characters, fillers), and the fullwidth twins of ASCII:
 * with one of them a name looks like that of somebody else.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\uFF01-\uFF5E]/u;

/**
 * What has to be altered to be kept could become the name of somebody else, and with it what is theirs: `\u0000app:x` is
 * no `app:x`, and two long names are not one because they begin alike.
 */
export function isName(given: string): boolean {
  return isKept(given, NAME_LIMIT) && !UNSEEN.test(given);
}

/** Empty: the only tenant. */
export function isTenantName(given: string): boolean {
  return isKept(given, TENANT_LIMIT);
}

function isKept(given: string, limit: number): boolean {
  return given === storableText(given, limit);
}

/**
 * `oid` is the same for every application of a tenant; other issuers have `sub` alone. Null: neither is a text, and all such
 * callers would be one person.
 */
export function subjectOf(claims: JWTPayload): string | null {
  return text(claims, 'oid') ?? text(claims, 'sub');
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
