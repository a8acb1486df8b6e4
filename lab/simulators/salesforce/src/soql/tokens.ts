import { parseMoment } from '../data/dates.ts';
import { malformed } from './malformed.ts';

export type Token = { readonly at: number; readonly text: string } & (
  | { readonly kind: 'word' | 'symbol' | 'end' }
  | { readonly kind: 'text'; readonly value: string; readonly pattern: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'date' }
  | { readonly kind: 'datetime'; readonly ms: number }
);

const BLANKS = /\s*/y;
const WORD = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/y;
const MOMENT = /\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[-+]\d{2}:?\d{2})?)?/y;
const NUMBER = /[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const TEXT = /'((?:[^'\\]|\\[\s\S])*)'/y;
const SYMBOL = /<=|>=|<>|!=|[=<>(),:]/y;

export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = match(BLANKS, source, 0)?.[0].length ?? 0;
  while (at < source.length) {
    const token = next(source, at);
    tokens.push(token);
    at += token.text.length;
    at += match(BLANKS, source, at)?.[0].length ?? 0;
  }
  return [...tokens, { kind: 'end', at: source.length, text: '<EOF>' }];
}

function next(source: string, at: number): Token {
  const word = match(WORD, source, at)?.[0];
  if (word !== undefined) return { kind: 'word', at, text: word };
  const moment = match(MOMENT, source, at)?.[0];
  if (moment !== undefined) return momentToken(source, at, moment);
  const number = match(NUMBER, source, at)?.[0];
  if (number !== undefined) return { kind: 'number', at, text: number, value: Number(number) };
  const quoted = match(TEXT, source, at);
  if (quoted !== null) {
    const inside = quoted[1] ?? '';
    const value = unescaped(source, at + 1, inside, false);
    return {
      kind: 'text',
      at,
      text: quoted[0],
      value,
      pattern: unescaped(source, at + 1, inside, true),
    };
  }
  if (source[at] === "'")
    throw malformed(source, at, `line ${at}: no viable alternative at character '<EOF>'`);
  const symbol = match(SYMBOL, source, at)?.[0];
  if (symbol !== undefined) return { kind: 'symbol', at, text: symbol };
  throw malformed(source, at, `unexpected token: '${source[at] ?? ''}'`);
}

function momentToken(source: string, at: number, text: string): Token {
  const moment = parseMoment(text);
  if (moment === null) throw malformed(source, at, `Invalid date: ${text}`);
  if (moment.isDate) return { kind: 'date', at, text };
  if (!/(?:Z|[-+]\d{2}:?\d{2})$/.test(text)) {
    throw malformed(source, at, `Invalid date: ${text}. A moment needs its time zone.`);
  }
  return { kind: 'datetime', at, text, ms: moment.ms };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

/** In a LIKE pattern an escaped `%`, `_` or backslash keeps its backslash: it is no wildcard. */
function unescaped(source: string, at: number, text: string, isPattern: boolean): string {
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|[\s\S])/g, (whole, escape: string, place: number) => {
    if (escape.length > 1) return String.fromCodePoint(Number.parseInt(escape.slice(1), 16));
    if (escape === '%' || escape === '_') return isPattern ? whole : escape;
    if (escape === '\\' && isPattern) return whole;
    const letter = ESCAPES[escape.toLowerCase()];
    if (letter !== undefined) return letter;
    throw malformed(
      source,
      at + place,
      `Invalid string literal: illegal character sequence '${whole}'`,
    );
  });
}

function match(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}
