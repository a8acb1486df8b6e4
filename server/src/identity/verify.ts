import { ROLES } from '@millrace/api';
import { storableText } from '@millrace/engine';
import { type JWTPayload, errors, jwtVerify } from 'jose';
import { Refusal } from '../http/refusal.ts';
import type { Authenticate, Caller } from './caller.ts';
import type { Keys } from './keys.ts';
import { isName, isTenantName, nameOf, subjectOf } from './names.ts';

/** Clocks differ by so much between well-kept machines. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** The maximum length of a token's values in an error message. */
const SHOWN_LIMIT = 200;
/** The maximum number of values in one claim. */
const MOST_VALUES = 500;
/** Beyond it a year has more than four digits, which few readers of a date expect. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export interface VerifierParams {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Names the tenants of a caller; null: tenants are no boundary. */
  readonly tenantClaim: string | null;
  /** Kept with the caller, for rules about rows. */
  readonly callerClaims: readonly string[];
  readonly keys: Keys;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Bearer tokens of the issuer: signed with RS256, for us, and valid now. */
export function createAuthenticate(params: VerifierParams): Authenticate {
  return async (authorization) => {
    const token = bearerOf(authorization);
    try {
      const { payload } = await jwtVerify(token, params.keys.find, {
        algorithms: ['RS256'],
        issuer: [...params.issuers],
        audience: [...params.audiences],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(params.now()),
        requiredClaims: ['exp', 'sub'],
      });
      return callerOf(payload, params);
    } catch (error) {
      throw refusalOf(error, params);
    }
  };
}

function bearerOf(authorization: string | undefined): string {
  const [, token] = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '') ?? [];
  if (token !== undefined) return token;
  throw new Refusal(
    'unauthenticated',
    authorization === undefined
      ? 'This needs a token. Send it as authorization: Bearer …; /signin says where to get one.'
      : 'The header authorization has no bearer token. Send it as authorization: Bearer ….',
  );
}

function callerOf(
  claims: JWTPayload,
  { tenantClaim, callerClaims }: Pick<VerifierParams, 'tenantClaim' | 'callerClaims'>,
): Caller {
  const given = Array.isArray(claims['roles']) ? claims['roles'] : [];
  const expiresAt = (claims.exp ?? 0) * 1_000;
  if (!(expiresAt <= LAST_MOMENT)) throw invalid('its claim "exp" is no time');
  // jose looks at the two others; this one would only be read by whoever asks for a token's age.
  if (claims.iat !== undefined && typeof claims.iat !== 'number')
    throw invalid('its claim "iat" is no time');
  const subject = subjectOf(claims);
  if (subject === null) throw invalid('neither its claim "oid" nor its claim "sub" is a text');
  const name = nameOf(claims, subject);
  if (!isName(name) || !isName(subject))
    throw invalid(
      'the name or the subject in it is longer than 200 characters, or has one that no name has',
    );
  return {
    name,
    subject,
    roles: ROLES.filter((role) => given.includes(role)),
    tenants: tenantClaim === null ? null : tenantsOf(claims[tenantClaim]),
    claims: Object.fromEntries(
      callerClaims.flatMap((claim) => {
        const values = textsOf(claims[claim]);
        return values.length === 0 ? [] : [[claim, values]];
      }),
    ),
    expiresAt,
  };
}

/** A text or a list of them. What no tenant can be called (nothing, more than a tenant's name may have) is left out. */
function tenantsOf(claim: unknown): string[] {
  const named = [claim].flat().filter((each) => typeof each === 'string');
  return [...new Set(named)].filter((name) => name !== '' && isTenantName(name));
}

/** A text, a number, or a list of them. What is too long or odd to be kept is left out: it can then allow nothing. */
function textsOf(claim: unknown): string[] {
  const values = [claim]
    .flat()
    .filter((each) => typeof each === 'string' || typeof each === 'number')
    .map(String)
    .filter((each) => each !== '' && isTenantName(each));
  return [...new Set(values)].slice(0, MOST_VALUES);
}

function refusalOf(error: unknown, { issuers, audiences }: VerifierParams): unknown {
  if (error instanceof Refusal) return error;
  if (error instanceof errors.JWTExpired)
    return new Refusal('token_expired', `The token expired ${endOf(error)}. Get a new one.`);
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaim(error);
  if (error instanceof errors.JWKSNoMatchingKey)
    return invalid('it is signed with a key that the issuer does not have');
  if (error instanceof errors.JOSEAlgNotAllowed) return invalid('it is not signed with RS256');
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return invalid('its signature is not that of the issuer');
  if (error instanceof errors.JOSEError) return invalid('it cannot be read as a signed JWT');
  return error;

  /** The signature was checked before the claims: what the token says about itself is the issuer's word. */
  function wrongClaim({ claim, payload }: errors.JWTClaimValidationFailed): Refusal {
    if (claim === 'iss')
      return new Refusal(
        'wrong_issuer',
        `The token is from the issuer ${shown(payload.iss)}; this server trusts ${issuers.join(' or ')}.`,
      );
    if (claim === 'aud')
      return new Refusal(
        'wrong_audience',
        `The token is for ${shown(payload.aud)}; this server is ${audiences.join(' or ')}.`,
      );
    return invalid(
      claim === 'nbf' ? 'it is not valid yet' : `its claim "${claim}" is missing or wrong`,
    );
  }
}

/** The text in an error message of a claim that must be a string or a list of strings. */
function shown(claim: unknown): string {
  const texts = [claim].flat().filter((each) => typeof each === 'string' && each !== '');
  return texts.length === 0 ? 'nobody' : storableText(texts.join(', '), SHOWN_LIMIT);
}

function endOf({ payload }: errors.JWTExpired): string {
  const { exp } = payload;
  const at = typeof exp === 'number' ? new Date(exp * 1_000) : null;
  return at === null || Number.isNaN(at.getTime()) ? '' : `at ${at.toISOString()}`;
}

function invalid(why: string): Refusal {
  return new Refusal('token_invalid', `Invalid token: ${why}.`);
}
