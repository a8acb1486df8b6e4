import { type Place, type Report, TemplateError } from '../../errors.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { NO_TOKEN } from '../../xml/tokens.ts';
import { type Parsed, drawsMore, openedBy, parseTag } from './expression.ts';
import type { ParagraphText, Piece } from './paragraphs.ts';
import { TagSyntaxError } from './tag-error.ts';

/** Where a tag stands. Outside of the text, only a plain value can be printed. */
export type Site = 'text' | 'instruction' | 'address' | 'attribute';

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
  readonly site: Site;
}

/** A text that holds tags becomes literals and tags. */
export type Segment = string | Tag;

export interface Scan {
  readonly part: string;
  readonly site: Site;
  readonly report: Report;
  /** How many tags the part may still have. */
  readonly room: number;
}

/** Finds the tags in a text. */
export function scan(read: ParagraphText, { part, site, report, room }: Scan): Tag[] {
  const { text, pieces, number } = read;
  const found: Tag[] = [];
  const add = (from: number, to: number, parsed: Parsed) => {
    // Stops here: a part of 30 MB has room for six million tags, which no memory has.
    if (found.length >= room) {
      throw new TemplateError('too_many_tags', `${part} has too many tags.`, { part });
    }
    found.push(tagAt(read, part, site, pieceAt(pieces, from).token, from, to, parsed));
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
      if (site !== 'text' && !isPlainValue(parsed)) {
        throw new TagSyntaxError(
          `${WHERE[site]} only a plain value can stand, no block and no picture.`,
          'tag_in_field_code',
        );
      }
      add(at, end + 2, parsed);
    } catch (error) {
      if (!(error instanceof TagSyntaxError)) throw error;
      const place = { part, paragraph: number, snippet: snippetOf(text, at, end + 2) };
      report(error.code, `${text.slice(at, Math.min(end + 2, at + 200))}: ${error.message}`, place);
      const opened = site === 'text' ? openedBy(text.slice(at + 2, end)) : undefined;
      if (opened) add(at, end + 2, opened);
    }
    at = text.indexOf('{{', end + 2);
  }
  return found;
}

const WHERE: Readonly<Record<Exclude<Site, 'text'>, string>> = {
  instruction: 'Inside a Word field',
  address: 'Inside a Word field',
  attribute: 'In an address, a description or a property',
};

export function tagAt(
  { text, number, token: paragraph }: ParagraphText,
  part: string,
  site: Site,
  first: Token,
  from: number,
  to: number,
  parsed: Parsed,
): Tag {
  const place = { part, paragraph: number, snippet: snippetOf(text, from, to) };
  return { parsed, source: text.slice(from, to), place, from, to, first, paragraph, site };
}

/** The text between the tags, and the tags. */
export function segmentsOf(text: string, tags: readonly Tag[]): Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const tag of tags) {
    if (tag.from > at) segments.push(text.slice(at, tag.from));
    segments.push(tag);
    at = tag.to;
  }
  if (at < text.length) segments.push(text.slice(at));
  return segments;
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
  return pieces[low] ?? { token: NO_TOKEN, text: '', start: 0 };
}

export function snippetOf(text: string, from: number, to: number): string {
  const start = Math.max(0, from - 20);
  const end = Math.min(text.length, Math.max(to, from + 30) + 20, from + 120);
  const middle = text.slice(start, end).replace(/\s+/gu, ' ').trim();
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`;
}
