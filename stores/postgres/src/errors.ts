import { StoreStopped, StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import { NO_PASSWORD } from './connect.ts';

/**
 * SQLSTATEs after which the same statement may succeed later, by class (two characters) or one by one: connection (08),
 * resources and disk (53), operator intervention (57), system (58, XX), deadlock and serialisation (40), lock not
 * available (55P03), read-only during a fail-over (25006), a session that was ended because its transaction stood idle
 * (25P03) or took too long (25P04), prepared statements that the session does not have (26000) or has already (42P05), as
 * when a pooler was put in between, and a right that somebody took away (42501).
 */
const TRANSIENT = /^(08|53|57|58|40|XX|55P03|25006|25P03|25P04|26000|42P05|42501)/;

const UNTRUSTED = 'The certificate of the database is of no trusted authority';

/** Errors that an operator has to repair: the same for every statement, and over when it is repaired. */
const CONDITIONS: Readonly<Record<string, string>> = {
  '53100': 'The disk of the database is full',
  '53200': 'The database is out of memory',
  '53300': 'The database takes no more connections',
  '25006': 'The database is read-only',
  '42501': 'The role that Millrace has in the database lacks a right',
  '28P01': 'The database does not accept the password',
  '28000': 'The database does not accept the role',
  '3D000': 'The database is not there',
  [NO_PASSWORD]: 'There is no password for the database',
  // Node's words about a certificate.
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the database is that of another host',
  CERT_HAS_EXPIRED: 'The certificate of the database has expired',
};

/** Errors without a code: no password, or one side wants TLS and the other has none. In the words of the pg package and of Postgres. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [
    /client password must be a (non-empty )?string$/,
    'The database asks for a password, and DATABASE_URL has none (nor is DATABASE_PASSWORD_FILE set)',
  ],
  [
    /^The server does not support SSL/,
    'The database has no TLS, and DATABASE_SSL or the sslmode of DATABASE_URL asks for it',
  ],
  [
    /^no pg_hba\.conf entry .*(no encryption|SSL off)$/,
    'The database lets nobody in without TLS: set DATABASE_SSL, best to verify-full',
  ],
];

/** The code of what the embedded database throws once it has stopped (`embedded/pglite-folder.ts`). */
export const STOPPED = 'EMBEDDED_STOPPED';

/** The transaction was undone because of others that ran beside it: the same again may well pass. */
const UNDONE = /^(40001|40P01)$/;

/** `statement_timeout` or someone's pg_cancel_backend (57014), `transaction_timeout` (25P04). */
const TIMED_OUT = /^(57014|25P04)$/;

/** The words of the pg package, without a code, when `query_timeout` has passed. */
const NO_ANSWER_IN_TIME = 'Query read timeout';

/** Where Postgres finds that a prepared statement's columns have changed, as by a migration: a new session is fine. */
const STALE_PLAN = 'RevalidateCachedQuery';

/** The error of a statement as the engine knows it: the database is away, was too slow, or the data is at fault. */
export function storeError(error: unknown, place = ''): Error {
  if (error instanceof StoreUnavailable) return error;
  const code = fieldOf(error, 'code');
  if (code === STOPPED) return new StoreStopped(messageOf(error), { cause: error });
  if (TIMED_OUT.test(code) || messageOf(error) === NO_ANSWER_IN_TIME)
    return new StoreTimedOut(`The database did not finish in time: ${messageOf(error)}`, {
      cause: error,
    });
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  const isTransient = TRANSIENT.test(code) || fieldOf(error, 'routine') === STALE_PLAN;
  return isSqlState && !isTransient ? (error as Error) : unavailable(error, place);
}

/**
 * Before any statement was sent, nothing can be wrong with the data: not even a password that has changed. `place` says which database
 * it is, without a user or password.
 */
export function unavailable(error: unknown, place = ''): StoreUnavailable {
  const condition = conditionIn(error);
  const message =
    condition === null
      ? `The database${place && ` ${place}`} did not answer: ${messageOf(error)}`
      : `${condition} (${place && `${place}: `}${messageOf(error)}).`;
  return new StoreUnavailable(message, { cause: error });
}

/** The condition behind an error of `storeError` or `unavailable`, if it is one that an operator has to fix. */
export function conditionOf(error: unknown): string | null {
  return conditionIn(error instanceof StoreUnavailable ? error.cause : error);
}

function conditionIn(error: unknown): string | null {
  const said = SAID.find(([words]) => words.test(messageOf(error)));
  return said?.[1] ?? CONDITIONS[fieldOf(error, 'code')] ?? null;
}

export function isUndone(error: unknown): boolean {
  return UNDONE.test(codeOf(error));
}

/** `lock_timeout`: somebody else had what was asked for. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** A table or an index that cannot be read as it was written (`data_corrupted`, `index_corrupted`). */
export function isDamage(error: unknown): boolean {
  return /^XX00[12]$/.test(codeOf(error));
}

export function isDenied(error: unknown): boolean {
  return codeOf(error) === '42501';
}

function codeOf(error: unknown): string {
  return fieldOf(error instanceof StoreUnavailable ? error.cause : error, 'code');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fieldOf(error: unknown, field: 'code' | 'routine'): string {
  return error instanceof Error && field in error
    ? String((error as Error & Record<typeof field, unknown>)[field])
    : '';
}
