import { type Place, type Report, TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { decode } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { attribute, child, closest, leading } from '../xml/tokens.ts';
import { type Parsed, TagSyntaxError, drawsMore, parseTag } from './expression.ts';
import { freeContentControls } from './content-controls.ts';
import type { Instruction } from './field-codes.ts';

/** A paragraph as its reader sees it: the text of its runs joined, and what else is in it. */
export interface Paragraph {
  readonly token: Token;
  readonly number: number;
  readonly text: string;
  readonly tags: readonly Tag[];
  /** Positions of pictures, notes, fields and the like. */
  readonly contentAt: readonly number[];
  readonly pageBreaksAt: readonly number[];
  readonly section: Token | undefined;
}

export interface Tag {
  readonly parsed: Parsed;
  readonly source: string;
  readonly place: Place;
  /** Offsets in the paragraph's text. */
  readonly from: number;
  readonly to: number;
  /** The text token in which it starts: its value takes that run's looks. */
  readonly first: Token;
  readonly paragraph: Token;
  readonly instruction: boolean;
}

/** A text token that holds tags becomes literals and tags. */
export type Segment = string | Tag;

export interface FoundTags {
  readonly paragraphs: ReadonlyMap<Token, Paragraph>;
  readonly tags: readonly Tag[];
  readonly segments: ReadonlyMap<Token, readonly Segment[]>;
}

interface Piece {
  readonly token: Token;
  readonly text: string;
  readonly start: number;
}

interface Draft {
  readonly token: Token;
  readonly number: number;
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

/** Joins the text of each paragraph's runs and finds the tags in it. */
export function findTags(
  tokens: readonly Token[],
  instructions: readonly Instruction[],
  part: string,
  limits: Limits,
  report: Report,
): FoundTags {
  const paragraphs = new Map<Token, Paragraph>();
  const segments = new Map<Token, readonly Segment[]>();
  const tags: Tag[] = [];
  const scanned = (draft: Draft, instruction: boolean): Tag[] =>
    draft.text.includes('{{')
      ? scan(draft, { part, instruction, report, room: limits.tags - tags.length })
      : [];
  for (const draft of readParagraphs(tokens)) {
    const found = scanned(draft, false);
    if (found.length > 0) cutPieces(tokens, draft.pieces, found, segments);
    tags.push(...found);
    const properties = leading(tokens, draft.token, 'w:pPr');
    const section = properties && child(tokens, properties, 'w:sectPr');
    paragraphs.set(draft.token, { ...draft, tags: found, section });
  }
  for (const instruction of instructions) {
    const first = instruction[0];
    const paragraph = first && closest(tokens, first, 'w:p');
    if (!paragraph) continue;
    const draft = draftOf(paragraph, paragraphs.get(paragraph)?.number ?? 0);
    for (const token of instruction) addPiece(draft, token, decode(token.raw));
    const found = scanned(draft, true);
    if (found.length > 0) cutPieces(tokens, draft.pieces, found, segments);
    tags.push(...found);
  }
  freeContentControls(tokens, tags);
  return {
    paragraphs,
    tags: tags.toSorted((a, b) => a.first.index - b.first.index || a.from - b.from),
    segments,
  };
}

function readParagraphs(tokens: readonly Token[]): Draft[] {
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

interface Scan {
  readonly part: string;
  readonly instruction: boolean;
  readonly report: Report;
  /** How many tags the part may still have. */
  readonly room: number;
}

function scan(draft: Draft, { part, instruction, report, room }: Scan): Tag[] {
  const { text, pieces, number } = draft;
  const found: Tag[] = [];
  const add = (from: number, to: number, parsed: Parsed) => {
    // Stops here: a part of 30 MB has room for six million tags, which no memory has.
    if (found.length >= room) {
      throw new TemplateError('too_many_tags', `${part} has too many tags.`, { part });
    }
    const first = pieceAt(pieces, from).token;
    const place = { part, paragraph: number, snippet: snippetOf(text, from, to) };
    const source = text.slice(from, to);
    found.push({ parsed, source, place, from, to, first, paragraph: draft.token, instruction });
  };
  let at = text.indexOf('{{');
  let end = text.indexOf('}}');
  while (at !== -1) {
    // Looked for again only when it has been passed: every {{ of a text without }} would search all of it.
    if (end !== -1 && end < at + 2) end = text.indexOf('}}', at + 2);
    if (text[at - 1] === '\\') {
      add(at - 1, at, { kind: 'comment' }); // \{{ writes {{: only the backslash goes
      at = text.indexOf('{{', at + 2);
      continue;
    }
    const next = text.indexOf('{{', at + 2);
    if (end === -1 || (next !== -1 && next < end && text[next - 1] !== '\\')) {
      const place = { part, paragraph: number, snippet: snippetOf(text, at, at + 2) };
      report(
        'unclosed_tag',
        `A tag is opened with {{ and not closed in its paragraph: "${place.snippet}".`,
        place,
      );
      at = next;
      continue;
    }
    try {
      const parsed = parseTag(text.slice(at + 2, end));
      if (instruction && !isPlainValue(parsed)) {
        const message =
          'Inside a Word field only a plain value can stand, no block and no picture.';
        throw new TagSyntaxError(message, 'tag_in_field_code');
      }
      add(at, end + 2, parsed);
    } catch (error) {
      if (!(error instanceof TagSyntaxError)) throw error;
      const place = { part, paragraph: number, snippet: snippetOf(text, at, end + 2) };
      report(error.code, `${text.slice(at, Math.min(end + 2, at + 200))}: ${error.message}`, place);
    }
    at = text.indexOf('{{', end + 2);
  }
  return found;
}

function isPlainValue(parsed: Parsed): boolean {
  return parsed.kind === 'comment' || (parsed.kind === 'value' && !drawsMore(parsed.value));
}

function pieceAt(pieces: readonly Piece[], offset: number): Piece {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  // Pieces without text share their start with the next one; the last of them has the text.
  return pieces[low] ?? { token: NOWHERE, text: '', start: 0 };
}

const NOWHERE: Token = {
  kind: 'text',
  name: '',
  raw: '',
  gone: true,
  index: -1,
  match: -1,
  parent: -1,
};

function snippetOf(text: string, from: number, to: number): string {
  const start = Math.max(0, from - 20);
  const end = Math.min(text.length, Math.max(to, from + 30) + 20, from + 120);
  const middle = text.slice(start, end).replace(/\s+/gu, ' ').trim();
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`;
}

/** Each tag stays in the piece where it starts; its other pieces lose their share of it. */
function cutPieces(
  tokens: readonly Token[],
  pieces: readonly Piece[],
  tags: readonly Tag[],
  segments: Map<Token, readonly Segment[]>,
): void {
  let next = 0;
  for (const { token, text, start } of pieces) {
    const end = start + text.length;
    const cut: Segment[] = [];
    let at = start;
    for (let i = next; i < tags.length; i++) {
      const tag = tags[i];
      if (!tag || tag.from >= end) break;
      if (tag.to <= start) {
        next = i + 1;
        continue;
      }
      if (tag.from > at) cut.push(text.slice(at - start, tag.from - start));
      if (tag.from >= start) cut.push(tag);
      at = Math.min(end, tag.to);
    }
    if (at === start && cut.length === 0) continue;
    if (token.kind !== 'text') {
      token.gone = true; // a tab or a break inside a tag
      continue;
    }
    if (at < end) cut.push(text.slice(at - start));
    segments.set(token, cut);
    const element = tokens[token.parent];
    if (element?.name === 'w:t') element.raw = '<w:t xml:space="preserve">';
  }
}
