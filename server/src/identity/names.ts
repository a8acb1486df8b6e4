import { storableText } from '@millrace/engine';
import type { JWTPayload } from 'jose';

const NAME_LIMIT = 200;
const TENANT_LIMIT = 100;
const PROGRAM = 'app:';
/** Prefixes of names other than user names: programs, people by subject, identities of reports. */
const RESERVED = /^(app|user|service):/i;

/**
 * What a caller is called, by Entra's "Access token claims reference" and "Optional claims reference". A program is
 * `app:` and the id of its registration, whatever else it is called: its display name is its owner's choice, and
 * `alice@example.com` is as good a choice as any.
 */
export function nameOf(claims: JWTPayload, subject: string): string {
  const username = usernameOf(claims);
  if (isApp(claims)) return `${PROGRAM}${registrationOf(claims) ?? subject}`;
  if (username === null) return nameOfSubject(subject);
  return isReserved(username) ? `user:${username}` : username;
}

/** A person with such a name would own what a program or a service identity submits. */
function isReserved(name: string): boolean {
  return RESERVED.test(name);
}

/** The name of a person whose token has none, or whose name is taken by another subject. */
export function nameOfSubject(subject: string): string {
  return `user:${subject}`;
}

/** No person has such a name: see `nameOf`. */
export function isNameOfProgram(name: string): boolean {
  return name.startsWith(PROGRAM);
}

/**
 * What nobody sees in a name (controls, zero-width and bidirectional characters, fillers, spaces other than the usual one,
 * blank symbols), and the fullwidth twins of ASCII: with one of them a name looks like that of somebody else.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\uFF01-\uFF5E\u2800\u{1D159}]|(?! )\p{Z}/u;
/** At either end nobody sees a space, and a browser shows two as one. */
const LOST_SPACE = /^ | $| {2}/;

/**
 * What has to be altered to be kept could become the name of somebody else, and with it what is theirs: `\u0000app:x` is
 * no `app:x`, and two long names are not one because they begin alike.
 */
export function isName(given: string): boolean {
  return isKept(given, NAME_LIMIT) && !UNSEEN.test(given) && !LOST_SPACE.test(given);
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
 * All tokens of a registration are one program, so a token is a program's only where it says so. `idtyp` does, where the API's
 * registration asks for that claim. Without it: a program is its own subject, by RFC 9068 the client (Auth0 adds `@clients`),
 * in tokens of Entra ID its `oid`. Other issuers may have both for people, so that counts only beside Entra's word that the client has
 * proved itself, and never beside `scp` or `scope`, which say what a person has allowed. Whoever has no such sign is a person, by their
 * subject: that a name is missing says nothing, and everybody who signs in with one client would be one.
 */
function isApp(claims: JWTPayload): boolean {
  const type = text(claims, 'idtyp');
  if (type !== null) return type !== 'user';
  const { scp, scope, sub } = claims;
  if (typeof sub !== 'string' || isScope(scp)) return false;
  const registration = registrationOf(claims);
  if (registration !== null && [registration, `${registration}@clients`].includes(sub)) return true;
  return !isScope(scope) && sub === text(claims, 'oid') && hasProvedItself(claims);
}

/** Entra's `azpacr` (version 1: `appidacr`) is 1 for a secret, 2 for a certificate, and 0 for a client that anybody can be. */
function hasProvedItself(claims: JWTPayload): boolean {
  const proof = text(claims, 'azpacr') ?? text(claims, 'appidacr');
  return proof === '1' || proof === '2';
}

/** A text, or with some issuers a list. */
function isScope(claim: unknown): boolean {
  return (typeof claim === 'string' && claim !== '') || (Array.isArray(claim) && claim.length > 0);
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
