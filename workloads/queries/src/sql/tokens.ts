/**
 * The tokens of T-SQL. Everything about SQL in this folder is read from them, in time linear to the text: no grammar of
 * expressions is needed to say what is surely wrong, which columns come out, or where a line may break. Why not by a parser
 * library: docs/decisions/0024-sql-from-tokens.md.
 */
export type TokenKind =
  | 'word'
  /** `[…]` or `"…"`. The latter is a string where QUOTED_IDENTIFIER is off; nothing here depends on which. */
  | 'name'
  | 'string'
  | 'number'
  /** `@name` and `@@name` */
  | 'variable'
  /** `#name` and `##name` */
  | 'temporary'
  | 'operator'
  | 'comment'
  /** A character that T-SQL has no use for outside strings, names and comments. */
  | 'stray';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** As written. */
  readonly text: string;
  /** In upper case, of words; else ''. */
  readonly word: string;
}

export interface Unterminated {
  readonly what: 'string' | 'name' | 'comment';
  readonly start: number;
}

const SPACE = /\s+/y;
const LINE_COMMENT = /--[^\r\n]*/y;
const WORD = /[\p{L}_][\p{L}\p{N}\p{M}_@#$]*/uy;
const VARIABLE = /@[\p{L}\p{N}_@#$]*/uy;
const TEMPORARY = /#[\p{L}\p{N}_@#$]*/uy;
const NUMBER = /0x[0-9a-f]*|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const OPERATOR = /<>|<=|>=|![=<>]|[-+*/%&|^]=|::|[-+*/%=<>~&|^.,();:{}$]/y;
const OTHER = /[^]/uy;
const COMMENT_EDGE = /\/\*|\*\//g;

/** All tokens in order, comments among them. What is not terminated reaches to the end of the text. */
export function lex(text: string): {
  readonly tokens: Token[];
  readonly unterminated: Unterminated | null;
} {
  const tokens: Token[] = [];
  let unterminated: Unterminated | null = null;
  let at = 0;

  function add(kind: TokenKind, end: number): void {
    const written = text.slice(at, end);
    tokens.push({
      kind,
      start: at,
      end,
      text: written,
      word: kind === 'word' ? written.toUpperCase() : '',
    });
    at = end;
  }

  /** A quoted token, whose closing quote is doubled where it is part of the content. */
  function quoted(kind: 'string' | 'name', quote: string, from: number): void {
    const end = closing(text, quote, from);
    if (end < 0) unterminated = { what: kind, start: at };
    add(kind, end < 0 ? text.length : end);
  }

  while (at < text.length) {
    const spaces = matchAt(SPACE, text, at);
    if (spaces > at) {
      at = spaces;
      continue;
    }
    const char = text[at] ?? '';
    const next = text[at + 1] ?? '';
    if (char === '-' && next === '-') add('comment', matchAt(LINE_COMMENT, text, at));
    else if (char === '/' && next === '*') {
      const end = commentEnd(text, at);
      if (end < 0) unterminated = { what: 'comment', start: at };
      add('comment', end < 0 ? text.length : end);
    } else if (char === "'") quoted('string', "'", at + 1);
    else if ((char === 'N' || char === 'n') && next === "'") quoted('string', "'", at + 2);
    else if (char === '[') quoted('name', ']', at + 1);
    else if (char === '"') quoted('name', '"', at + 1);
    else {
      const [kind, end] = plain(text, at);
      add(kind, end);
    }
  }
  return { tokens, unterminated };
}

const PLAIN: readonly (readonly [TokenKind, RegExp])[] = [
  ['word', WORD],
  ['number', NUMBER],
  ['variable', VARIABLE],
  ['temporary', TEMPORARY],
  ['operator', OPERATOR],
];

function plain(text: string, at: number): readonly [TokenKind, number] {
  for (const [kind, form] of PLAIN) {
    const end = matchAt(form, text, at);
    if (end > at) return [kind, end];
  }
  return ['stray', matchAt(OTHER, text, at)];
}

function matchAt(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}

/** By indexOf, not by an expression: one of a million characters must not fill the stack of the matcher. */
function closing(text: string, quote: string, from: number): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 2)) {
    if (text[at + 1] !== quote) return at + 1;
  }
  return -1;
}

/** Comments of T-SQL nest. */
function commentEnd(text: string, start: number): number {
  let depth = 0;
  COMMENT_EDGE.lastIndex = start;
  for (let edge = COMMENT_EDGE.exec(text); edge !== null; edge = COMMENT_EDGE.exec(text)) {
    depth += edge[0] === '/*' ? 1 : -1;
    if (depth === 0) return COMMENT_EDGE.lastIndex;
  }
  return -1;
}

/** The name or text that a token stands for: without its quotes, doubled ones made single. */
export function unquoted(token: Token): string {
  const { text } = token;
  if (token.kind === 'string') {
    const from = text.startsWith("'") ? 1 : 2;
    return text.slice(from, -1).replaceAll("''", "'");
  }
  if (token.kind !== 'name') return text;
  return text.startsWith('[')
    ? text.slice(1, -1).replaceAll(']]', ']')
    : text.slice(1, -1).replaceAll('""', '"');
}
