import type { ApiError } from '../errors.ts';
import type { Name } from './ast.ts';
import { malformed } from './malformed.ts';
import { type Token, tokenize } from './tokens.ts';

/** Walks over the tokens of a query. */
export interface Reader {
  readonly source: string;
  peek(ahead?: number): Token;
  take(): Token;
  /** Whether the next tokens are these words or symbols, whatever their case. Takes nothing. */
  sees(...texts: readonly string[]): boolean;
  /** Takes them if they are next. */
  takes(...texts: readonly string[]): boolean;
  expect(text: string): Token;
  name(): Name;
  number(): number;
  unexpected(): ApiError;
}

export function createReader(source: string): Reader {
  const tokens = tokenize(source);
  const end = tokens.at(-1) ?? { kind: 'end', at: 0, text: '<EOF>' };
  let position = 0;

  function peek(ahead = 0): Token {
    return tokens[position + ahead] ?? end;
  }

  function unexpected(): ApiError {
    const { kind, text, at } = peek();
    return malformed(
      source,
      at,
      kind === 'end' ? `unexpected token: <EOF>` : `unexpected token: '${text}'`,
    );
  }

  function sees(...texts: readonly string[]): boolean {
    return texts.every((text, index) => {
      const token = peek(index);
      return (
        (token.kind === 'word' || token.kind === 'symbol') && token.text.toUpperCase() === text
      );
    });
  }

  function take(): Token {
    const token = peek();
    position += 1;
    return token;
  }

  return {
    source,
    peek,
    take,
    sees,
    takes(...texts) {
      if (!sees(...texts)) return false;
      position += texts.length;
      return true;
    },
    expect(text) {
      if (sees(text)) return take();
      const { kind, text: found, at } = peek();
      const shown = kind === 'end' ? '<EOF>' : `'${found}'`;
      throw malformed(source, at, `expecting a ${text.toLowerCase()}, found ${shown}`);
    },
    name() {
      const token = peek();
      if (token.kind !== 'word' || RESERVED.has(token.text.toUpperCase())) throw unexpected();
      return { text: take().text, at: token.at };
    },
    number() {
      const token = peek();
      if (token.kind !== 'number' || !/^\d+$/.test(token.text)) throw unexpected();
      take();
      return token.value;
    },
    unexpected,
  };
}

const RESERVED = new Set([
  'SELECT',
  'FROM',
  'WHERE',
  'AND',
  'OR',
  'NOT',
  'IN',
  'LIKE',
  'ORDER',
  'GROUP',
  'HAVING',
  'LIMIT',
  'OFFSET',
  'ASC',
  'DESC',
  'NULLS',
  'NULL',
  'TRUE',
  'FALSE',
  'FOR',
]);
