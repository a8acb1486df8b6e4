import type { Token } from '../xml/tokenizer.ts';
import {
  children,
  closest,
  compact,
  elementRaw,
  leading,
  removeElement,
  unwrapElement,
} from '../xml/tokens.ts';

const REMOVED = new Set(
  (
    'w:del w:moveFrom w:rPrChange w:pPrChange w:sectPrChange w:tblPrChange ' +
    'w:trPrChange w:tcPrChange w:tblGridChange w:tblPrExChange w:numberingChange ' +
    'w:moveFromRangeStart w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd ' +
    'w:cellIns w:cellDel w:cellMerge w:proofErr w:lastRenderedPageBreak ' +
    'w:customXmlInsRangeStart w:customXmlInsRangeEnd w:customXmlDelRangeStart ' +
    'w:customXmlDelRangeEnd w:smartTagPr w:noProof ' +
    'w:commentRangeStart w:commentRangeEnd w:commentReference'
  ).split(' '),
);
const UNWRAPPED = new Set(['w:ins', 'w:moveTo', 'w:smartTag']);

/**
 * What only Word's own editing needs; without it a repeated row is a third smaller. One space stands before each
 * attribute: a pattern for many would search a value of spaces again from each of them.
 */
const EDITING_ATTRIBUTES =
  / (?:w:rsid\w*|w14:(?:paraId|textId)|wp14:(?:anchorId|editId))=(?:"[^"]*"|'[^']*')/g;

/**
 * Accepts tracked changes and leaves out editing marks and comments. A tag that was edited with tracking on is whole
 * again afterwards, and no customer sees the author's changes and remarks. Besides, LibreOfficeKit of Debian's package
 * without a user interface cannot open a document with a comment: the window for it is not there.
 */
export function acceptRevisions(tokens: Token[]): Token[] {
  const marksRemoved: Token[] = [];
  for (const token of tokens) {
    if (token.gone || token.kind === 'text' || token.kind === 'close') continue;
    if (REMOVED.has(token.name)) {
      if (token.name === 'w:del') noteRemovedMark(tokens, token, marksRemoved);
      removeElement(tokens, token);
    } else if (UNWRAPPED.has(token.name)) {
      if (token.kind === 'empty') token.gone = true;
      else unwrapElement(tokens, token);
    } else if (token.raw.includes('rsid') || token.raw.includes('14:')) {
      token.raw = token.raw.replace(EDITING_ATTRIBUTES, '');
    }
  }
  for (const token of marksRemoved) {
    if (token.name === 'w:tr' || isBare(tokens, token)) removeElement(tokens, token);
  }
  return splitEmptyParagraphs(compact(tokens));
}

/** `w:del` in a row's or a paragraph mark's properties deletes the row or the mark. */
function noteRemovedMark(tokens: readonly Token[], del: Token, found: Token[]): void {
  const parent = tokens[del.parent];
  if (parent?.name === 'w:trPr') {
    const row = closest(tokens, parent, 'w:tr');
    if (row) found.push(row);
  } else if (parent?.name === 'w:rPr' && tokens[parent.parent]?.name === 'w:pPr') {
    const paragraph = closest(tokens, parent, 'w:p');
    if (paragraph) found.push(paragraph);
  }
}

/** Nothing but properties is left in it, and its cell or text box has another paragraph beside it. */
function isBare(tokens: readonly Token[], paragraph: Token): boolean {
  const inner = children(tokens, paragraph).filter(({ gone, name }) => !gone && name !== 'w:pPr');
  const beside = [tokens[paragraph.index - 1], tokens[paragraph.match + 1]];
  return (
    inner.length === 0 &&
    !elementRaw(tokens, leading(tokens, paragraph, 'w:pPr')).includes('<w:sectPr') &&
    beside.some((token) => token?.name === 'w:p' && !token.gone)
  );
}

/** `<w:p/>` becomes two tags, so that every paragraph ends with the same bytes. */
function splitEmptyParagraphs(tokens: Token[]): Token[] {
  if (!tokens.some(({ kind, name }) => kind === 'empty' && name === 'w:p')) return tokens;
  const split = tokens.flatMap((token): Token[] =>
    token.kind === 'empty' && token.name === 'w:p'
      ? [
          { ...token, kind: 'open', raw: `${token.raw.slice(0, -2)}>` },
          { ...token, kind: 'close', raw: '</w:p>' },
        ]
      : [token],
  );
  return compact(split);
}
