import { decode } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { attribute } from '../../xml/tokens.ts';
import type { CleanPart } from '../clean/clean.ts';

/** One text token, or a break, with its place in the paragraph's text. */
export interface Piece {
  readonly token: Token;
  readonly text: string;
  readonly start: number;
}

/** The text of a paragraph's runs joined, and what else is in it. */
export interface ParagraphText {
  readonly token: Token;
  readonly number: number;
  readonly pieces: readonly Piece[];
  readonly text: string;
  /** Positions of pictures, notes, fields and the like. */
  readonly contentAt: readonly number[];
  readonly pageBreaksAt: readonly number[];
}

interface Draft extends ParagraphText {
  readonly pieces: Piece[];
  text: string;
  readonly contentAt: number[];
  readonly pageBreaksAt: number[];
}

const SKIPPED = new Set(['w:pPr', 'w:rPr', 'w:sdtPr', 'w:sdtEndPr', 'w:tblPr', 'w:trPr', 'w:tcPr']);
const NO_CONTENT = new Set(
  (
    'w:r w:t w:br w:tab w:cr w:softHyphen w:noBreakHyphen w:hyperlink w:bookmarkStart ' +
    'w:bookmarkEnd w:sdt w:sdtContent w:permStart w:permEnd w:annotationRef'
  ).split(' '),
);
/** In a run; within a tag they are spaces. */
const SPACES: Readonly<Record<string, string>> = {
  'w:br': '\n',
  'w:cr': '\n',
  'w:tab': '\t',
  'w:noBreakHyphen': '-',
};

export function readParagraphs({ tokens }: Pick<CleanPart, 'tokens'>): ParagraphText[] {
  const drafts: Draft[] = [];
  const open: Draft[] = [];
  const count = createCounter();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    const current = open.at(-1);
    count.pass(token);
    if (token.kind === 'close') {
      if (token.name === 'w:p') open.pop();
    } else if (token.name === 'w:p') {
      const draft = draftOf(token, count.next());
      drafts.push(draft);
      open.push(draft);
    } else if (current) {
      i = readInside(tokens, token, current);
    }
  }
  return drafts;
}

/** Texts that are read as one although no paragraph joins them: an instruction, an attribute. */
export function textOfPieces(
  paragraph: Token,
  number: number,
  texts: readonly (readonly [Token, string])[],
): ParagraphText {
  const draft = draftOf(paragraph, number);
  for (const [token, text] of texts) addPiece(draft, token, text);
  return draft;
}

/** A text box is in the file twice, once for old readers: both have the same numbers. */
function createCounter(): { pass(token: Token): void; next(): number } {
  const starts: number[] = [];
  const ends: number[] = [];
  let number = 0;
  return {
    next: () => ++number,
    pass: ({ name, kind }) => {
      if (name === 'mc:AlternateContent') {
        if (kind === 'open') starts.push(number);
        if (kind === 'close') starts.pop();
      } else if (name === 'mc:Fallback') {
        if (kind === 'open') ends.push(number);
        if (kind !== 'empty') number = (kind === 'open' ? starts.at(-1) : ends.pop()) ?? number;
      }
    },
  };
}

/** Returns the position up to which the token has been dealt with. */
function readInside(tokens: readonly Token[], token: Token, draft: Draft): number {
  const parent = tokens[token.parent];
  if (token.kind === 'text') {
    if (parent?.name === 'w:t') addPiece(draft, token, decode(token.raw));
    return token.index;
  }
  if (SKIPPED.has(token.name)) return token.match;
  const space = parent?.name === 'w:r' ? SPACES[token.name] : undefined;
  if (space !== undefined) {
    if (token.name === 'w:br' && attribute(token, 'w:type') === 'page') {
      draft.pageBreaksAt.push(token.index);
    }
    addPiece(draft, token, space);
  } else if (!NO_CONTENT.has(token.name)) draft.contentAt.push(token.index);
  return token.index;
}

function draftOf(token: Token, number: number): Draft {
  return { token, number, pieces: [], text: '', contentAt: [], pageBreaksAt: [] };
}

function addPiece(draft: Draft, token: Token, text: string): void {
  draft.pieces.push({ token, text, start: draft.text.length });
  draft.text += text;
}
