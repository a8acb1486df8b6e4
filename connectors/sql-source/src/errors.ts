/** A failure of a source, in a sentence, and whether the same reading may succeed later. */
export class SourceError extends Error {
  override readonly name: string = 'SourceError';
  /** Postgres' SQLSTATE, or one of `OWN`. */
  readonly code: string;
  readonly retryable: boolean;
  /** Where in the SQL that was handed over, as an offset; null where that is not known. */
  readonly position: number | null;

  constructor(message: string, details: SourceErrorDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = details.code;
    this.retryable = details.retryable;
    this.position = details.position ?? null;
  }
}

/** The source is away: nothing is wrong with what was asked. */
export class SourceUnavailable extends SourceError {
  override readonly name: string = 'SourceUnavailable';

  constructor(message: string, details: { code: string; cause?: unknown }) {
    super(message, { ...details, retryable: true });
  }
}

interface SourceErrorDetails {
  readonly code: string;
  readonly retryable: boolean;
  readonly position?: number | null;
  readonly cause?: unknown;
}

/** Codes of what Postgres has no SQLSTATE for. */
export const OWN = {
  /** The caller's signal: cancelled, or the process stops. */
  aborted: 'aborted',
  connectionLost: 'connection_lost',
  noProgress: 'no_progress',
  badSql: 'bad_sql',
  badValue: 'bad_value',
  closed: 'closed',
  /** The embedded database could not write, or its folder is another process's. */
  stopped: 'embedded_stopped',
} as const;

/**
 * SQLSTATEs after which the same statement may succeed later, by class or one by one: connection (08), collisions (40),
 * resources (53), objects in use and lock timeouts (55006, 55P03), operator intervention, among it restarts and
 * `statement_timeout` (57), system (58), sessions that were ended for standing idle or taking too long (25P03, 25P04),
 * old snapshots (72), and internal errors (XX000; XX001 and XX002 are damaged data).
 */
const RETRYABLE = /^(08|40|53(?!400)|55006|55P03|57|58|25P03|25P04|72|XX000)/;

/** By SQLSTATE or class of it, the longest first. `text` is what the database said, where that may be shown. */
const SENTENCES: readonly (readonly [RegExp, (text: string) => string])[] = [
  [
    /^57014/,
    (text) =>
      `The source stopped the statement: it took too long, or somebody cancelled it (${text}).`,
  ],
  [/^(57P|08)/, (text) => `The source ended the connection: it restarts, or is away (${text}).`],
  [/^53100/, (text) => `The disk of the source is full (${text}).`],
  [/^53200/, (text) => `The source is out of memory (${text}).`],
  [/^53300/, (text) => `The source takes no more connections (${text}).`],
  [
    /^53400/,
    (text) =>
      `The SQL needs more temporary space than the source allows: raise temp_file_limit or sort less (${text}).`,
  ],
  [/^55P03/, (text) => `The SQL waited too long for a lock in the source (${text}).`],
  [/^40/, (text) => `The reading collided with other work in the source (${text}).`],
  [
    /^25P0[34]/,
    (text) => `The source ended the session: it stood idle or took too long (${text}).`,
  ],
  [/^25006/, (text) => `The SQL changes something, and a report may only read (${text}).`],
  [
    /^42501/,
    (text) =>
      `The role of the source lacks a right: GRANT it SELECT on what the SQL reads (${text}).`,
  ],
  [/^42P01/, (text) => `The SQL names a table that the source does not have (${text}).`],
  [/^42703/, (text) => `The SQL names a column that the source does not have (${text}).`],
  [/^42/, (text) => `The SQL is not valid (${text}).`],
  [
    /^22/,
    (text) =>
      `A row cannot be computed: correct the value in the source, or make the SQL cope with it (${text}).`,
  ],
  [/^28/, (text) => `The source does not accept the role or its password (${text}).`],
  [/^3D000/, (text) => `The database of the source is not there (${text}).`],
];

/** Asks for a right that a role which only reads does not have, and should not get for this. */
const LOCKS = /\bfor\s+(no\s+key\s+update|update|key\s+share|share)\b/i;

function lockSentence(text: string): string {
  return `The SQL locks rows (FOR UPDATE or FOR SHARE), and a report may only read: remove that (${text}).`;
}

/** Node's words about a certificate, and those of the pg package about TLS and passwords without a code. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [
    /CERT|UNABLE_TO_(VERIFY|GET)/,
    'The certificate of the source is not trusted, or that of another host',
  ],
  [/^The server does not support SSL/, 'The source has no TLS, and its settings ask for it'],
  [
    /client password must be a (non-empty )?string$/,
    'The source asks for a password, and there is none',
  ],
];

/** A failure of a statement. `before` is what we put in front of the SQL that was handed over. */
export function sourceError(thrown: unknown, sql: string | null = null, before = ''): SourceError {
  if (thrown instanceof SourceError) return thrown;
  const code = fieldOf(thrown, 'code');
  if (!isSqlState(code)) return lost(thrown);
  const locks = code === '42501' && sql !== null && LOCKS.test(sql);
  const quotable = mayBeQuoted(code, fieldOf(thrown, 'position') !== '');
  const text = quotable ? withHint(thrown) : inOurWords(code);
  const sentence = locks
    ? lockSentence
    : (SENTENCES.find(([state]) => state.test(code))?.[1] ??
      ((said: string) => `The source refused the SQL (${said}).`));
  const details = { code, cause: thrown };
  if (/^(57P|08)/.test(code)) return new SourceUnavailable(sentence(text), details);
  return new SourceError(sentence(text), {
    ...details,
    retryable: RETRYABLE.test(code),
    position: sql === null ? null : offsetOf(sql, before, fieldOf(thrown, 'position')),
  });
}

/** A failure before any statement was sent: nothing can be wrong with the SQL, not even if the password is. */
export function unavailable(thrown: unknown): SourceError {
  if (thrown instanceof SourceError) return thrown;
  const code = fieldOf(thrown, 'code');
  if (!isSqlState(code)) return lost(thrown);
  return new SourceUnavailable(sourceError(thrown).message, { code, cause: thrown });
}

export function aborted(reason: unknown): SourceError {
  return new SourceError('The reading was stopped before its end.', {
    code: OWN.aborted,
    retryable: true,
    cause: reason,
  });
}

export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal.reason);
}

export function badSql(message: string, position: number | null = null): SourceError {
  return new SourceError(message, { code: OWN.badSql, retryable: false, position });
}

function lost(thrown: unknown): SourceUnavailable {
  const text = messageOf(thrown);
  const code = fieldOf(thrown, 'code');
  const said =
    SAID.find(([words]) => words.test(code) || words.test(text))?.[1] ??
    'The connection to the source broke';
  return new SourceUnavailable(`${said} (${text}).`, { code: OWN.connectionLost, cause: thrown });
}

function isSqlState(code: string): boolean {
  // Node's own codes have five letters too: EPIPE. No SQLSTATE begins with an E.
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code);
}

/** Postgres counts characters from 1, over the whole statement; here code units from 0, in the SQL as it was handed over. */
function offsetOf(sql: string, before: string, position: string): number | null {
  const characters = Number(position) - 1 - before.length;
  if (position === '' || characters < 0) return null;
  const offset = Array.from(sql).slice(0, characters).join('').length;
  return offset <= sql.length ? offset : null;
}

function withHint(thrown: unknown): string {
  const hint = fieldOf(thrown, 'hint');
  return hint === '' ? messageOf(thrown) : `${messageOf(thrown)}; hint: ${hint}`;
}

function messageOf(thrown: unknown): string {
  // None of several addresses answered: Node's error has no message, those of the addresses have.
  if (thrown instanceof AggregateError && thrown.message === '')
    return thrown.errors.map(messageOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function fieldOf(thrown: unknown, field: 'code' | 'position' | 'hint'): string {
  if (!(thrown instanceof Error) || !(field in thrown)) return '';
  const value: unknown = (thrown as Error & Record<typeof field, unknown>)[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * Whether the words of the database may stand in a sentence that people read. What it says while it computes rows quotes their
 * values ('invalid input syntax for type integer: "…"'), also those of rows that the row rules of a report keep from whoever
 * reads the sentence: Postgres may compute a condition of the SQL before it looks at the rule. So data exceptions, what
 * functions raise, and errors of statements that name no place in the SQL (a cast to regclass) are said by their SQLSTATE; the log
 * has the rest.
 */
function mayBeQuoted(code: string, hasPosition: boolean): boolean {
  if (code.startsWith('42')) return hasPosition || code === '42501';
  return !/^(2[0-4]|2F|38|39|P0)/.test(code);
}

/** The SQLSTATEs that data of reports runs into, in words of ours. */
const WORDS: Readonly<Record<string, string>> = {
  '21000': 'a subquery gives more than one row',
  '22001': 'a text is too long for its type',
  '22003': 'a number is out of range',
  '22007': 'a text is no date or time',
  '22008': 'a date or time is out of range',
  '22012': 'division by zero',
  '2201B': 'a regular expression is not valid',
  '2201E': 'a logarithm of 0 or less',
  '22021': 'characters that the encoding does not have',
  '22023': 'a value that a function does not take',
  '22P02': 'a text is no value of the type that it is read as',
  '22P05': 'a character that the encoding does not have',
};

/** In the place of what the database said. */
function inOurWords(code: string): string {
  const words = WORDS[code];
  const state = `SQLSTATE ${code}; the log of the server has what the database said`;
  return words === undefined ? state : `${words}, ${state}`;
}
