import { type Token, lex } from './tokens.ts';

/** What a query can be given for a `:name`: a list stands for its values with commas between, as IN takes them. */
export type SqlValue = SqlScalar | readonly SqlScalar[];
export type SqlScalar = string | number | boolean | null | { readonly date: string };

/** A place that has no value, or a value that has no place. */
export class BindError extends Error {
  override readonly name = 'BindError';
}

/**
 * Puts values into SQL as literals. Marketing Cloud takes no bound parameters, so the text itself has to hold them: a name is found
 * by the tokens of T-SQL, never inside a string, a quoted name or a comment, and its value is written so that nothing in it
 * can end the literal.
 */
export function bindSql(sql: string, values: Readonly<Record<string, SqlValue>>): string {
  const places = placesOf(sql);
  const unused = Object.keys(values).find((name) => !places.some((place) => place.name === name));
  if (unused !== undefined)
    throw new BindError(`The SQL does not use :${unused}. Write it there, or leave it out.`);
  let bound = '';
  let at = 0;
  for (const { name, start, end } of places) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      throw new BindError(`${placeOf(sql, start)}: :${name} has no value. Name it in parameters.`);
    bound += `${sql.slice(at, start)}${literalOf(name, value)}`;
    at = end;
  }
  return bound + sql.slice(at);
}

/** The names that the SQL asks for, each once. */
export function namesIn(sql: string): string[] {
  return [...new Set(placesOf(sql).map(({ name }) => name))];
}

interface Place {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** `:name`, a colon and a word without a space between. `::` is another token, of T-SQL's own. */
function placesOf(sql: string): Place[] {
  const { tokens } = lex(sql);
  return tokens.flatMap((token, index) => {
    const next: Token | undefined = tokens[index + 1];
    const isPlace =
      token.kind === 'operator' &&
      token.text === ':' &&
      next?.kind === 'word' &&
      next.start === token.end;
    return isPlace ? [{ name: next.text, start: token.start, end: next.end }] : [];
  });
}

function literalOf(name: string, value: SqlValue): string {
  // IN () is no SQL, and nothing is equal to NULL: a list without values finds no row.
  if (isList(value))
    return value.length === 0 ? 'NULL' : value.map((each) => scalar(name, each)).join(', ');
  return scalar(name, value);
}

function isList(value: SqlValue): value is readonly SqlScalar[] {
  return Array.isArray(value);
}

function scalar(name: string, value: SqlScalar): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return numberLiteral(name, value);
  return typeof value === 'string' ? textLiteral(name, value) : dateLiteral(name, value.date);
}

/** In brackets where it is negative: `5 -:n` must not become a comment. */
function numberLiteral(name: string, value: number): string {
  if (!Number.isFinite(value)) throw new BindError(`:${name} is no number that SQL can hold.`);
  return value < 0 || Object.is(value, -0) ? `(${value})` : String(value);
}

/**
 * A quote ends the literal unless it is doubled. A backslash before a line break would be left out together with the break,
 * as T-SQL continues lines so: the literal is cut in two between them.
 */
function textLiteral(name: string, value: string): string {
  if (value.includes('\u0000') || !value.isWellFormed())
    throw new BindError(`:${name} has a character that cannot be sent to Marketing Cloud.`);
  const parts = value.replaceAll("'", "''").split(/(?<=\\)(?=\r?\n)/);
  const literals = parts.map((part) => `N'${part}'`);
  return literals.length === 1 ? (literals[0] ?? "N''") : `(${literals.join(' + ')})`;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?$/;

/** `20260131` and `2026-01-31T09:30:00` mean the same under every DATEFORMAT; `2026-01-31` does not for a datetime. */
function dateLiteral(name: string, value: string): string {
  const [, year, month, day, hour, minute, second = '00'] = DATE.exec(value) ?? [];
  if (year === undefined || !isDay(value.slice(0, 10)))
    throw new BindError(`:${name} is no date such as 2026-01-31, or 2026-01-31T09:30:00.`);
  return hour === undefined
    ? `CONVERT(date, '${year}${month}${day}', 112)`
    : `CONVERT(datetime, '${year}-${month}-${day}T${hour}:${minute}:${second}', 126)`;
}

function isDay(date: string): boolean {
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}

function placeOf(sql: string, at: number): string {
  const before = sql.slice(0, at).split('\n');
  return `Line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
