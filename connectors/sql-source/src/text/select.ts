import { badSql } from '../errors.ts';
import type { Token } from './tokens.ts';

/** A function that SQL calls by name; without a schema, as the search path finds it. */
export interface Call {
  readonly schema: string | null;
  readonly name: string;
  readonly from: number;
}

const BEGINNINGS = ['select', 'with', 'values', 'table', '('];
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']' };

/**
 * One SELECT, whole in itself: whatever is put in brackets around it stays around it. Whether Postgres takes it is for
 * Postgres to say; this is what keeps SQL from stepping out of the statement that it is part of.
 */
export function checkSelect(tokens: readonly Token[]): void {
  const [first] = tokens;
  if (first === undefined) throw badSql('There is no SQL.', 0);
  if (!BEGINNINGS.includes(first.text))
    throw badSql(
      'The SQL has to be one SELECT: it begins with SELECT, WITH, VALUES or TABLE.',
      first.from,
    );
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind === 'end')
      throw badSql('The SQL has to be one statement, and a semicolon ends it.', token.from);
    if (token.kind !== 'symbol') continue;
    if (token.text in CLOSING) open.push(token);
    if (token.text !== ')' && token.text !== ']') continue;
    const opening = open.pop();
    if (CLOSING[opening?.text ?? ''] !== token.text)
      throw badSql(`The ${token.text} closes nothing.`, token.from);
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw badSql(`The ${unclosed.text} is not closed.`, unclosed.from);
}

function isName(token: Token | undefined): token is Token {
  return token?.kind === 'word' || token?.kind === 'quoted';
}

function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text;
}

/**
 * Every name behind a point that no bracket follows: columns, tables of a schema, and functions, since `(x).f` is `f(x)` where x has no
 * column f. Only the database can say which. A function is found by the search path there. A name without a point is never one.
 */
export function attributesIn(tokens: readonly Token[]): Call[] {
  return tokens.flatMap((token, index) =>
    isName(token) && isSymbol(tokens[index - 1], '.') && !isSymbol(tokens[index + 1], '(')
      ? [{ schema: null, name: token.text, from: token.from }]
      : [],
  );
}

/** Every name before a bracket, also those that are no functions: keywords, types, tables with a list of columns. */
export function callsIn(tokens: readonly Token[]): Call[] {
  return tokens.flatMap((token, index) => {
    if (!isName(token) || !isSymbol(tokens[index + 1], '(')) return [];
    const schema = isSymbol(tokens[index - 1], '.') ? tokens[index - 2] : undefined;
    return [{ schema: isName(schema) ? schema.text : null, name: token.text, from: token.from }];
  });
}

/** Of a name in a call that begins here: in `(x).f` it comes last. */
export function placeOf(tokens: readonly Token[], name: string, position: number): number {
  const named = tokens.find((token) => token.from >= position && token.text === name);
  return named?.from ?? position;
}

/** Does a call with brackets begin here, as `f(` or `schema.f(`? */
export function isCallAt(tokens: readonly Token[], position: number): boolean {
  let index = tokens.findIndex(({ from }) => from === position);
  if (!isName(tokens[index])) return false;
  while (isSymbol(tokens[index + 1], '.') && isName(tokens[index + 2])) index += 2;
  return isSymbol(tokens[index + 1], '(');
}

/**
 * The shape that two texts share that differ in numbers only, such as that of a LIMIT: neither calls what the other does not,
 * and neither ends elsewhere.
 */
export function shapeOf(sql: string, tokens: readonly Token[]): string {
  let shape = '';
  let done = 0;
  for (const { kind, from, to } of tokens) {
    if (kind !== 'number') continue;
    shape += `${sql.slice(done, from)}0`;
    done = to;
  }
  return shape + sql.slice(done);
}
