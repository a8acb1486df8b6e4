import { type Token, type Unterminated, lex } from './tokens.ts';

/** A text as its tokens, with what belongs together. */
export interface Document {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** Without comments. All indexes below are of these. */
  readonly code: readonly Token[];
  /** The index of the partner of each `(`, `)`, `CASE` and `END`; -1 for all others and for those without one. */
  readonly partner: Int32Array;
  /** Indexes of those that should have a partner and have none. */
  readonly unpaired: readonly number[];
  readonly unterminated: Unterminated | null;
  /** How deep parentheses and CASE nest. */
  readonly depth: number;
}

/**
 * Deeper texts are refused before anything recursive reads them. SQL Server itself stops at 32 nested subqueries and 10
 * nested CASE; functions within functions (REPLACE(REPLACE(…))) go deeper than either.
 */
export const MAX_DEPTH = 200;

/** Ours: the longest of 800 public queries of Marketing Cloud has 233,000 characters. This many take about a second. */
export const MAX_LENGTH = 500_000;

/** Null: longer or deeper than anything that is read further. */
export function readWithin(text: string): Document | null {
  if (text.length > MAX_LENGTH) return null;
  const doc = read(text);
  return doc.depth > MAX_DEPTH ? null : doc;
}

export function read(text: string): Document {
  const { tokens, unterminated } = lex(text);
  const code = tokens.filter((token) => token.kind !== 'comment');
  const partner = new Int32Array(code.length).fill(-1);
  const unpaired: number[] = [];
  const open: number[] = [];
  let depth = 0;
  for (const [index, token] of code.entries()) {
    if (code[index - 1]?.text === '.') continue; // a name, whatever it is called
    if (token.text === '(' || token.word === 'CASE') {
      open.push(index);
      depth = Math.max(depth, open.length);
    } else if (token.text === ')' || token.word === 'END') {
      const opener = open.at(-1);
      const wanted = token.text === ')' ? '(' : 'CASE';
      if (
        opener !== undefined &&
        (code[opener]?.text === wanted || code[opener]?.word === wanted)
      ) {
        open.pop();
        partner[index] = opener;
        partner[opener] = index;
      } else unpaired.push(index);
    }
  }
  return { text, tokens, code, partner, unpaired: [...unpaired, ...open], unterminated, depth };
}

/** The index after the token, or after its partner where it opens something. */
export function after(doc: Document, index: number): number {
  const partner = doc.partner[index] ?? -1;
  return partner > index ? partner + 1 : index + 1;
}

/** The keyword at the index, '' where there is none. What follows a dot is a name, whatever it is called. */
export function keyword(doc: Document, index: number): string {
  return doc.code[index - 1]?.text === '.' ? '' : (doc.code[index]?.word ?? '');
}

export function isSymbol(doc: Document, index: number, symbol: string): boolean {
  const token = doc.code[index];
  return token?.kind === 'operator' && token.text === symbol;
}
