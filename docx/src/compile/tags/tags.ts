import type { Place, Report } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { Relationship } from '../../package/relationships.ts';
import { decode } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { child, children, closest, leading } from '../../xml/tokens.ts';
import { type AttributeTexts, findAttributeTags } from './attributes.ts';
import type { CleanPart } from '../clean/clean.ts';
import { type ParagraphText, type Piece, readParagraphs, textOfPieces } from './paragraphs.ts';
import { scan, type Segment, type Site, type Tag, tagAt } from './scan.ts';

export type { Segment, Tag } from './scan.ts';

/** A paragraph as its reader sees it, with its tags. */
export interface Paragraph extends ParagraphText {
  readonly tags: readonly Tag[];
  readonly section: Token | undefined;
}

export interface FoundTags {
  readonly paragraphs: ReadonlyMap<Token, Paragraph>;
  readonly tags: readonly Tag[];
  readonly segments: ReadonlyMap<Token, readonly Segment[]>;
  readonly attributes: AttributeTexts;
  /** Tokens that are not written: breaks inside a tag, and the binding of content controls that hold one. */
  readonly dropped: ReadonlySet<Token>;
  /** Tags in places where they are not filled. */
  readonly unfilled: readonly Place[];
}

/** Joins the text of each paragraph's runs and finds the tags in it, in its fields and in its attributes. */
export function findTags(
  part: CleanPart,
  relationships: readonly Relationship[],
  limits: Limits,
  report: Report,
): FoundTags {
  const { tokens, name, fields } = part;
  const paragraphs = new Map<Token, Paragraph>();
  const segments = new Map<Token, readonly Segment[]>();
  const dropped = new Set<Token>();
  const tags: Tag[] = [];
  const scanned = (read: ParagraphText, site: Site): Tag[] =>
    read.text.includes('{{')
      ? scan(read, { part: name, site, report, room: limits.tags - tags.length })
      : [];
  for (const read of readParagraphs(part)) {
    const found = withMergeFields(part, read, scanned(read, 'text'));
    if (found.length > 0) cutPieces(read.pieces, found, segments, dropped);
    for (const tag of found) tags.push(tag);
    const properties = leading(tokens, read.token, 'w:pPr');
    const section = properties && child(tokens, properties, 'w:sectPr');
    paragraphs.set(read.token, { ...read, tags: found, section });
  }
  const numberOf = (paragraph: Token | undefined): number =>
    (paragraph && paragraphs.get(paragraph)?.number) ?? 0;
  for (const { instruction } of fields) {
    const first = instruction[0];
    const paragraph = first && closest(tokens, first, 'w:p');
    if (!paragraph) continue;
    const texts = instruction.map((token) => [token, decode(token.raw)] as const);
    const read = textOfPieces(paragraph, numberOf(paragraph), texts);
    const found = scanned(read, 'instruction').map(atAddress(read));
    if (found.length > 0) cutPieces(read.pieces, found, segments, dropped);
    for (const tag of found) tags.push(tag);
  }
  const attributes = findAttributeTags(part, relationships, (element, text) => {
    const paragraph = closest(tokens, element, 'w:p');
    const read = textOfPieces(paragraph ?? element, numberOf(paragraph), [[element, text]]);
    const found = scanned(read, 'attribute');
    for (const tag of found) tags.push(tag);
    return found;
  });
  for (const bound of boundProperties(tokens, tags)) dropped.add(bound);
  return {
    paragraphs,
    tags: tags.toSorted((a, b) => a.first.index - b.first.index || a.from - b.from),
    segments,
    attributes,
    dropped,
    unfilled: unfilledTags(part, numberOf),
  };
}

/** Whatever begins the address of a link is checked as one. */
function atAddress({ text }: ParagraphText): (tag: Tag) => Tag {
  const start = /^\s*HYPERLINK\s+["\u201c]?\s*/i.exec(text)?.[0].length;
  return (tag) => (tag.from === start ? { ...tag, site: 'address' } : tag);
}

/** Word's own merge fields are tags whose text is the field. */
function withMergeFields(
  { name, mergeFields }: CleanPart,
  read: ParagraphText,
  tags: readonly Tag[],
): readonly Tag[] {
  if (mergeFields.size === 0) return tags;
  const found = [...tags];
  let next = 0;
  for (const { token, text, start } of read.pieces) {
    const end = start + text.length;
    // Both stand in the order of the text: the first tag that ends behind the piece's start is the only one to look at.
    while ((tags[next]?.to ?? Infinity) <= start) next += 1;
    const isInTag = (tags[next]?.from ?? Infinity) < end;
    const value = mergeFields.get(token);
    if (!value || isInTag) continue;
    found.push(tagAt(read, name, 'text', token, start, end, { kind: 'value', value }));
  }
  return found.toSorted((a, b) => a.from - b.from);
}

/** Equations have runs and texts of their own, which nothing fills. */
function unfilledTags(
  { tokens, name }: CleanPart,
  numberOf: (paragraph: Token | undefined) => number,
): Place[] {
  const texts = new Map<Token, string>();
  for (const token of tokens) {
    if (token.kind !== 'text') continue;
    const around = tokens[token.parent];
    if (around?.name !== 'm:t' && around?.name !== 'a:t') continue;
    const whole = closest(tokens, around, 'm:oMath', 'a:p') ?? around;
    texts.set(whole, (texts.get(whole) ?? '') + decode(token.raw));
  }
  const places: Place[] = [];
  for (const [token, text] of texts) {
    if (!text.includes('{{')) continue;
    const paragraph = numberOf(closest(tokens, token, 'w:p'));
    places.push({ part: name, paragraph, snippet: text.slice(0, 80) });
  }
  return places;
}

/** Each tag stays in the piece where it starts; its other pieces lose their share of it. */
function cutPieces(
  pieces: readonly Piece[],
  tags: readonly Tag[],
  segments: Map<Token, readonly Segment[]>,
  dropped: Set<Token>,
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
      dropped.add(token); // a tab or a break inside a tag
      continue;
    }
    if (at < end) cut.push(text.slice(at - start));
    segments.set(token, cut);
  }
}

const BOUND = /^(?:w:dataBinding|w15:dataBinding|w:showingPlcHdr|w:placeholder)$/;

/** Word would write the bound value, or the placeholder, over what the merge put into a content control. */
function boundProperties(tokens: readonly Token[], tags: readonly Tag[]): Token[] {
  const seen = new Set<Token>();
  const bound: Token[] = [];
  for (const tag of tags) {
    for (let at = tokens[tag.first.parent]; at; at = tokens[at.parent]) {
      if (at.name !== 'w:sdt' || seen.has(at)) continue;
      seen.add(at);
      const properties = child(tokens, at, 'w:sdtPr');
      for (const property of properties ? children(tokens, properties) : []) {
        if (BOUND.test(property.name)) {
          bound.push(...tokens.slice(property.index, property.match + 1));
        }
      }
    }
  }
  return bound;
}
