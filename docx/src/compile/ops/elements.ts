import { escapeAttribute, escapeText, decode } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { attribute, child, children, closest, leading } from '../../xml/tokens.ts';
import type { Builder } from './builder.ts';
import type { Expression } from '../tags/expression.ts';
import { noteOf } from '../notes.ts';
import type { Address } from './ops.ts';
import type { Ranges, TurnName } from '../layout/ranges.ts';
import type { Restart } from '../layout/restarts.ts';
import type { FoundTags, Segment, Tag } from '../tags/tags.ts';

/** Writes the elements of which the data, or the turn of a loop, decides an attribute. */
export interface Elements {
  /** False when the token is written as it is. */
  emit(token: Token): boolean;
}

export interface ElementsOptions {
  readonly tokens: readonly Token[];
  readonly found: FoundTags;
  readonly builder: Builder;
  readonly ranges: Ranges;
  readonly restarts: ReadonlyMap<Token, Restart>;
  readonly draws: Set<string>;
  readonly inLoop: () => boolean;
  readonly emitTag: (tag: Tag) => void;
  /** The loop refers to a note. */
  readonly repeatNote: (note: string) => void;
  /** Notes that the data is asked for a tag that has no op of its own. */
  readonly use: (tag: Tag) => void;
}

/** How an attribute is written instead: by these steps, or not at all. */
type AttributeWriter = (() => void) | 'left out';
type Changes = Map<string, AttributeWriter>;

export function createElements(options: ElementsOptions): Elements {
  const { tokens, found, builder, ranges, restarts, draws, inLoop, emitTag, use } = options;
  const insertions = insertionsOf(tokens, restarts);
  /** Links whose address the data decides, from their tag to their end. */
  const links: { readonly close: Token; readonly address: Address; readonly first: Tag }[] = [];

  const turnName = ({ turns, name, stem }: TurnName) =>
    builder.add({ op: 'turnName', turns, name, stem });

  const emitText = (token: Token): boolean => {
    const reference = ranges.reference(token);
    if (!reference) return false;
    const text = decode(token.raw);
    builder.text(escapeText(text.slice(0, reference.from)));
    turnName(reference);
    builder.text(escapeText(text.slice(reference.to)));
    return true;
  };

  const emitRange = (token: Token): boolean => {
    const end = ranges.end(token);
    if (end?.kind !== 'paired') return end !== undefined;
    const { range, name } = end;
    const begins = token.name.endsWith('Start');
    const changes: Changes = new Map([
      ['w:id', () => builder.add({ op: 'rangeId', range, begins })],
    ]);
    if (name) changes.set('w:name', () => turnName(name));
    writeElement(builder, token, changes);
    return true;
  };

  const listId = (restart: Restart) => builder.add({ op: 'listId', ...listOf(restart) });

  /** The list of a paragraph that names it itself. */
  const emitList = (token: Token): boolean => {
    const paragraph = token.name === 'w:numId' ? closest(tokens, token, 'w:p') : undefined;
    const restart = paragraph && restarts.get(paragraph);
    if (!restart) return false;
    writeElement(builder, token, new Map([['w:val', () => listId(restart)]]));
    return true;
  };

  /** The list of a paragraph whose style names it. */
  const insertList = (token: Token): void => {
    const restart = insertions.get(token);
    if (!restart) return;
    builder.text(`<w:numPr><w:ilvl w:val="${restart.level}"/><w:numId w:val="`);
    listId(restart);
    builder.text('"/></w:numPr>');
  };

  const emitSegments = (segments: readonly Segment[]) => {
    for (const segment of segments) {
      if (typeof segment === 'string') builder.text(escapeAttribute(segment));
      else emitTag(segment);
    }
  };

  const emitElement = (token: Token): boolean => {
    const filled = found.attributes.get(token);
    // Nearly every element: a list of changes for each took a seventh of the memory of compiling.
    if (!filled && !MAY_CHANGE.test(token.name)) return false;
    const changes: Changes = new Map();
    for (const [name, segments] of filled?.texts ?? []) {
      changes.set(name, () => emitSegments(segments));
    }
    const anchor = token.name === 'w:hyperlink' ? ranges.anchor(token) : undefined;
    if (anchor) changes.set('w:anchor', () => turnName(anchor));
    if (inLoop()) {
      addOwnId(token, builder, changes);
      const note = token.name.endsWith('Reference') ? noteOf(token) : undefined;
      if (note !== undefined) {
        options.repeatNote(note);
        changes.set('w:id', () => builder.add({ op: 'noteReference', note }));
      }
    }
    const address = filled?.address && addressOf(filled.address);
    const first = filled?.address?.find((segment) => typeof segment !== 'string');
    if (address && first) {
      draws.add('address');
      for (const segment of filled.address) if (typeof segment !== 'string') use(segment);
      if (token.name === 'w:hyperlink' && token.kind === 'open') {
        builder.open();
        writeAttributes(builder, token, changes.set('r:id', 'left out'));
        links.push({ close: tokens[token.match] ?? token, address, first });
        builder.open();
        return true;
      }
      const { place } = first;
      changes.set('r:id', () => builder.add({ op: 'relation', address, place }));
    }
    if (changes.size === 0) return false;
    writeElement(builder, token, changes);
    return true;
  };

  const endLink = (token: Token): boolean => {
    const link = links.at(-1);
    if (link?.close !== token) return false;
    links.pop();
    const body = builder.close();
    const head = builder.close();
    builder.add({ op: 'link', address: link.address, head, body, place: link.first.place });
    return true;
  };

  return {
    emit: (token) => {
      insertList(token);
      if (token.kind === 'text') return emitText(token);
      if (token.kind === 'close') return endLink(token);
      // Word gives a content control without a number a new one.
      if (token.name === 'w:id' && tokens[token.parent]?.name === 'w:sdtPr') return inLoop();
      return emitRange(token) || emitList(token) || emitElement(token);
    },
  };
}

function addressOf(segments: readonly Segment[]): Address {
  return segments.flatMap((segment): (string | Expression)[] => {
    if (typeof segment === 'string') return [segment];
    return segment.parsed.kind === 'value' ? [segment.parsed.value] : [];
  });
}

/** Links, elements with an id of their own, and references to notes. */
const MAY_CHANGE = /^(?:w:hyperlink$|wp:docPr$|v:)|Reference$/;

/** Elements whose id must be their own: drawings and VML shapes. */
function addOwnId(token: Token, builder: Builder, changes: Changes): void {
  const isShape = token.name.startsWith('v:') && token.name !== 'v:shapetype';
  if (token.name !== 'wp:docPr' && !isShape) return;
  if (attribute(token, 'id') === undefined) return;
  changes.set('id', () => {
    if (isShape) builder.text('shape');
    builder.add({ op: 'id' });
  });
  if (isShape) changes.set('o:spid', 'left out');
}

function listOf({ list, turns, numId, keepsFirst }: Restart): Omit<Restart, 'level'> {
  return { list, turns, numId, keepsFirst };
}

/** The elements that come before a paragraph's list among its properties: their order is fixed. */
const BEFORE_LIST = /^w:(?:pStyle|keepNext|keepLines|pageBreakBefore|framePr|widowControl)$/;

/** Before which token a list has to be named, for paragraphs that have theirs from a style. */
function insertionsOf(
  tokens: readonly Token[],
  restarts: ReadonlyMap<Token, Restart>,
): ReadonlyMap<Token, Restart> {
  const found = new Map<Token, Restart>();
  for (const [paragraph, restart] of restarts) {
    const properties = leading(tokens, paragraph, 'w:pPr');
    if (!properties || child(tokens, properties, 'w:numPr')) continue;
    const last = children(tokens, properties).findLast(({ name }) => BEFORE_LIST.test(name));
    const next = last && tokens[last.match + 1];
    if (next) found.set(next, restart);
  }
  return found;
}

const ATTRIBUTE = / ([^\s=]+)=(?:"[^"]*"|'[^']*')/g;

/** Writes an element's tag with some of its attributes changed. */
function writeElement(builder: Builder, token: Token, changes: Changes): void {
  builder.text(`<${token.name}`);
  writeAttributes(builder, token, changes);
}

/** The attributes and the end of the tag. */
function writeAttributes(builder: Builder, { raw, name, kind }: Token, changes: Changes): void {
  for (const [whole, key = ''] of raw.slice(name.length + 1).matchAll(ATTRIBUTE)) {
    const change = changes.get(key);
    if (change === 'left out') continue;
    if (change) {
      builder.text(` ${key}="`);
      change();
      builder.text('"');
    } else builder.text(whole);
  }
  builder.text(kind === 'empty' ? '/>' : '>');
}
