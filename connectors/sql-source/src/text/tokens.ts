import { badSql } from '../errors.ts';

/** A piece of SQL that means something; white space and comments are left out. */
export interface Token {
  /** `word`: a keyword or a plain identifier. `parameter`: `:name`. `end`: a semicolon. */
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'end' | 'symbol';
  /** As Postgres reads it: a plain identifier in small letters, a quoted one without its quotes, a parameter's name. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const SPACE = /[ \t\n\r\f\v]+|--[^\n\r]*/y;
/** Postgres takes every byte beyond ASCII for a letter. */
const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const NUMBER = /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?/y;
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;
const POSITIONAL = /\$\d/y;

/**
 * Reads SQL as Postgres' scanner does with `standard_conforming_strings` on: strings of every kind, quoted identifiers,
 * dollar quotes and nested comments. What it cannot read is refused with its place.
 */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  let brackets = 0;
  let at = 0;
  if (sql.includes('\0')) throw badSql('The SQL has a NUL character.', sql.indexOf('\0'));
  while (at < sql.length) {
    const past = skip(sql, at);
    if (past > at) {
      at = past;
      continue;
    }
    const token = tokenAt(sql, at, { isInBrackets: brackets > 0, previous: tokens.at(-1) });
    if (token.text === '[' && token.kind === 'symbol') brackets += 1;
    if (token.text === ']' && token.kind === 'symbol') brackets -= 1;
    tokens.push(token);
    at = token.to;
  }
  return tokens;
}

interface Around {
  readonly isInBrackets: boolean;
  readonly previous: Token | undefined;
}

function tokenAt(sql: string, from: number, around: Around): Token {
  const token = (kind: Token['kind'], to: number, text = sql.slice(from, to)): Token => ({
    kind,
    text,
    from,
    to,
  });
  const word = match(WORD, sql, from);
  if (word !== null) return wordAt(sql, from, word);
  const number = match(NUMBER, sql, from);
  if (number !== null) return token('number', from + number.length);
  switch (sql[from]) {
    case "'":
      return token('string', endOfString(sql, from, false));
    case '"': {
      const to = endOfQuoted(sql, from, '"');
      return token('quoted', to, sql.slice(from + 1, to - 1).replaceAll('""', '"'));
    }
    case '$':
      return dollarAt(sql, from);
    case ':':
      return colonAt(sql, from, around);
    case ';':
      return token('end', from + 1);
    default:
      return token('symbol', from + 1);
  }
}

function wordAt(sql: string, from: number, word: string): Token {
  const to = from + word.length;
  if (/^e$/i.test(word) && sql[to] === "'")
    return { kind: 'string', text: '', from, to: endOfString(sql, to, true) };
  if (/^u$/i.test(word) && sql.startsWith('&"', to))
    throw badSql(
      'The SQL has an identifier with Unicode escapes (U&"…"): write its characters.',
      from,
    );
  return { kind: 'word', text: smallAscii(word), from, to };
}

function colonAt(sql: string, from: number, { isInBrackets, previous }: Around): Token {
  const symbol = (length: number): Token => ({
    kind: 'symbol',
    text: sql.slice(from, from + length),
    from,
    to: from + length,
  });
  const next = sql[from + 1];
  if (next === ':' || next === '=') return symbol(2);
  const name = match(WORD, sql, from + 1);
  // The colon of a slice follows what stands before it at once: `a[1:n]`. A parameter does not: `a[1: :n]`.
  if (name !== null && !(isInBrackets && previous?.to === from && endsOperand(previous)))
    return { kind: 'parameter', text: name, from, to: from + 1 + name.length };
  if (name === null && (next === "'" || next === '"'))
    throw badSql('A parameter is written without quotes: :name.', from);
  return symbol(1);
}

function endsOperand({ kind, text }: Token): boolean {
  return kind !== 'symbol' || text === ')' || text === ']';
}

function dollarAt(sql: string, from: number): Token {
  const tag = match(DOLLAR_QUOTE, sql, from);
  if (tag !== null) {
    const end = sql.indexOf(tag, from + tag.length);
    if (end < 0) throw badSql(`The text that begins with ${tag} does not end.`, from);
    return { kind: 'string', text: '', from, to: end + tag.length };
  }
  if (match(POSITIONAL, sql, from) !== null)
    throw badSql('A parameter has a name: :name, not a number as in $1.', from);
  return { kind: 'symbol', text: '$', from, to: from + 1 };
}

/** Where white space or a comment ends that begins here; the same place if none does. */
function skip(sql: string, at: number): number {
  const space = match(SPACE, sql, at);
  if (space !== null) return at + space.length;
  if (!sql.startsWith('/*', at)) return at;
  let depth = 0;
  for (let here = at; here < sql.length; here++) {
    if (sql.startsWith('/*', here)) depth += 1;
    else if (sql.startsWith('*/', here)) depth -= 1;
    else continue;
    here += 1;
    if (depth === 0) return here + 1;
  }
  throw badSql('The comment that begins here does not end.', at);
}

/** `from` is the first quote. With backslashes (E'…') the character after one is part of the string, also a quote. */
function endOfString(sql: string, from: number, hasBackslashes: boolean): number {
  if (!hasBackslashes) return endOfQuoted(sql, from, "'");
  for (let at = from + 1; at < sql.length; at++) {
    if (sql[at] === '\\') at += 1;
    else if (sql[at] === "'" && sql[at + 1] === "'") at += 1;
    else if (sql[at] === "'") {
      const next = continuedAt(sql, at + 1);
      if (next === null) return at + 1;
      at = next;
    }
  }
  throw badSql('The text that begins here does not end.', from);
}

/**
 * `E'a'`, a line end, `'b'` is one string, and the second half has the backslashes of the first: the place of its quote.
 * Piece by piece, since dashes are a comment in many ways to a pattern of the whole: 60 of them never ended.
 */
function continuedAt(sql: string, from: number): number | null {
  let at = from;
  let hasBreak = false;
  for (let gap = match(SPACE, sql, at); gap !== null; gap = match(SPACE, sql, at)) {
    hasBreak ||= /[\n\r]/.test(gap);
    at += gap.length;
  }
  return hasBreak && sql[at] === "'" ? at : null;
}

function endOfQuoted(sql: string, from: number, quote: string): number {
  for (let at = from + 1; at < sql.length; at++) {
    if (sql[at] !== quote) continue;
    if (sql[at + 1] !== quote) return at + 1;
    at += 1;
  }
  throw badSql(`What begins with ${quote} here does not end.`, from);
}

function match(pattern: RegExp, sql: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? null;
}

/** Postgres folds letters beyond ASCII in no encoding of several bytes, and the source speaks UTF-8. */
function smallAscii(word: string): string {
  return word.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
