import type { Report } from '../errors.ts';
import { escapeText } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { attribute, closest, elementRaw, leading } from '../xml/tokens.ts';
import type { Block } from './blocks.ts';
import { type Builder, createBuilder } from './builder.ts';
import { type Marks, createMarks } from './marks.ts';
import type { Expression } from './expression.ts';
import type { Layout } from './levels.ts';
import type { Op, RunContext } from './ops.ts';
import { createTables, paragraphFallback } from './shells.ts';
import type { FoundTags, Tag } from './tags.ts';
import { HELPERS } from '../helpers/names.ts';
import { type FieldUse, collectUses } from './uses.ts';

export interface Emission {
  readonly ops: readonly Op[];
  readonly uses: readonly FieldUse[];
  /** Slots for what is written once, and for repeated columns. */
  readonly onceSlots: number;
  readonly columnSlots: number;
  readonly draws: ReadonlySet<string>;
}

/** One walk over the tokens writes the op tree: text as bytes, tags as ops, blocks as lists. */
export function emit(
  tokens: readonly Token[],
  found: FoundTags,
  blocks: readonly Block[],
  layout: Layout,
  report: Report,
): Emission {
  const builder = createBuilder();
  // A text box is in the file twice: what it asks for is listed once.
  const uses = new Map<string, FieldUse>();
  const addUse = (use: FieldUse) => {
    uses.set(`${use.path} ${use.kind} ${use.paragraph} ${use.snippet}`, use);
  };
  const draws = new Set<string>();
  const tables = createTables(tokens, layout, builder);
  const marks = createMarks(tokens, blocks, layout, tables, builder, addUse, report);
  const once = createOnce(tokens, found, marks, layout);
  let afterBlock = false;
  let blockSinceBreak = true;

  const markAll = (tags: readonly Tag[]) => {
    for (const tag of tags) {
      marks.emit(tag);
      afterBlock = true;
      blockSinceBreak = true;
    }
  };

  const emitValueOf = (tag: Tag, helper?: string) => {
    if (tag.parsed.kind !== 'value') return;
    emitValue(tokens, tag, tag.parsed.value, builder, draws, helper);
    collectUses(tag.parsed.value, marks.scopes(), tag.place, 'value', addUse);
  };

  const emitSegments = (token: Token) => {
    for (const segment of found.segments.get(token) ?? []) {
      if (typeof segment === 'string') builder.text(escapeText(segment));
      else if (segment.parsed.kind === 'value') emitValueOf(segment);
      else {
        const position = layout.positions.get(segment);
        if (position?.kind === 'text') marks.emit(segment);
        else if (position?.kind === 'run') {
          const { properties } = runContext(tokens, segment);
          builder.text('</w:t></w:r>');
          marks.emit(segment);
          builder.text(`<w:r>${properties}<w:t xml:space="preserve">`);
        }
      }
    }
  };

  const emitToken = (token: Token) => {
    if (token.kind === 'text' && found.segments.has(token)) emitSegments(token);
    else if (once.has(token)) once.emit(token, builder, marks.inLoop());
    else if (marks.inLoop() && hasOwnId(tokens, token)) emitUnique(token, builder);
    else tables.emit(token, marks.columnDepth());
  };

  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    markAll(marks.before(token));
    if (!token.gone) {
      if (token.name === 'w:tbl' && token.kind === 'open' && afterBlock)
        builder.add({ op: 'apart' });
      if (token.kind === 'close') emitEnsure(tokens, token, layout, builder);
      if (isLastSection(tokens, token, layout))
        emitEnsure(tokens, tokens[token.parent], layout, builder);
      if (isPageBreakParagraph(found, token)) {
        const bytes = Buffer.from(elementRaw(tokens, token));
        builder.add({ op: 'pageBreak', bytes, skips: blockSinceBreak });
        blockSinceBreak = false;
        i = token.match;
        afterBlock = false;
        markAll(marks.after(tokens[i] ?? token));
        continue;
      }
      const html = wholeHtml(tokens, found, token);
      if (html) {
        emitValueOf(html, 'htmlParagraphs');
        i = token.match;
        afterBlock = false;
        markAll(marks.after(tokens[i] ?? token));
        continue;
      }
      emitToken(token);
      if (token.kind === 'close' && (token.name === 'w:p' || token.name === 'w:tbl'))
        afterBlock = false;
    }
    markAll(marks.after(token));
  }
  return {
    ops: builder.close(),
    uses: [...uses.values()],
    onceSlots: once.slots(),
    columnSlots: tables.slots(),
    draws,
  };
}

function emitValue(
  tokens: readonly Token[],
  tag: Tag,
  value: Expression,
  builder: Builder,
  draws: Set<string>,
  helper?: string,
): void {
  const { place } = tag;
  if (tag.instruction) builder.add({ op: 'instruction', value, place });
  else if (value.kind === 'call' && HELPERS.get(value.name)?.draws) {
    draws.add(value.name);
    const run = runContext(tokens, tag);
    builder.add({ op: 'draw', helper: helper ?? value.name, call: value, run, place });
  } else builder.add({ op: 'text', value, place });
}

/** Rich text alone in its paragraph may become several paragraphs. */
function wholeHtml(tokens: readonly Token[], found: FoundTags, token: Token): Tag | undefined {
  const paragraph =
    token.kind === 'open' && token.name === 'w:p' ? found.paragraphs.get(token) : undefined;
  const tag = paragraph?.tags[0];
  if (!paragraph || tag?.parsed.kind !== 'value' || paragraph.tags.length > 1) return undefined;
  const { value } = tag.parsed;
  const alone = paragraph.text.trim() === tag.source && paragraph.contentAt.length === 0;
  const isHtml = value.kind === 'call' && value.name === 'html';
  return isHtml && alone && runContext(tokens, tag).splits ? tag : undefined;
}

function runContext(tokens: readonly Token[], tag: Tag): RunContext {
  const run = closest(tokens, tag.first, 'w:r');
  const parent = run && tokens[run.parent];
  const paragraph = closest(tokens, tag.first, 'w:p');
  const properties = paragraph && leading(tokens, paragraph, 'w:pPr');
  const paragraphProperties = elementRaw(tokens, properties);
  return {
    properties: elementRaw(tokens, run && leading(tokens, run, 'w:rPr')),
    splits: parent?.name === 'w:p' && !paragraphProperties.includes('<w:sectPr'),
    inLink: closest(tokens, tag.first, 'w:hyperlink') !== undefined,
    paragraphProperties,
  };
}

/** Before a cell, a text box or a note ends, or before the body's own section properties. */
function emitEnsure(
  tokens: readonly Token[],
  around: Token | undefined,
  layout: Layout,
  builder: Builder,
): void {
  const container = around?.kind === 'close' ? tokens[around.match] : around;
  if (!container || !layout.containers.has(container)) return;
  const { after, paragraph } = paragraphFallback(tokens, container);
  builder.add({
    op: 'ensure',
    after: after.map((raw) => Buffer.from(raw)),
    bytes: Buffer.from(paragraph),
  });
}

function isLastSection(tokens: readonly Token[], token: Token, layout: Layout): boolean {
  const parent = tokens[token.parent];
  return (
    token.name === 'w:sectPr' &&
    token.kind !== 'close' &&
    parent?.name === 'w:body' &&
    layout.containers.has(parent)
  );
}

function isPageBreakParagraph(found: FoundTags, token: Token): boolean {
  const paragraph =
    token.kind === 'open' && token.name === 'w:p' ? found.paragraphs.get(token) : undefined;
  return (
    paragraph !== undefined &&
    paragraph.pageBreaksAt.length > 0 &&
    paragraph.contentAt.length === 0 &&
    paragraph.text.trim() === '' &&
    paragraph.section === undefined
  );
}

/** Elements whose id must be their own: drawings, VML shapes, content controls. */
function hasOwnId(tokens: readonly Token[], token: Token): boolean {
  if (token.kind === 'close' || token.kind === 'text') return false;
  if (token.name === 'w:id') return tokens[token.parent]?.name === 'w:sdtPr';
  if (token.name === 'wp:docPr') return true;
  return (
    token.name.startsWith('v:') &&
    token.name !== 'v:shapetype' &&
    attribute(token, 'id') !== undefined
  );
}

function emitUnique(token: Token, builder: Builder): void {
  if (token.name === 'w:id') return; // Word gives a content control without one a new one
  const raw = token.raw.replace(/ o:spid="[^"]*"/, '');
  const [, before = raw, after = ''] = /^([^]*?\sid\s*=\s*["'])[^"']*([^]*)$/.exec(raw) ?? [];
  builder.text(token.name === 'wp:docPr' ? before : `${before}shape`);
  builder.add({ op: 'id' });
  builder.text(after);
}

interface Once {
  has(token: Token): boolean;
  emit(token: Token, builder: Builder, inLoop: boolean): void;
  slots(): number;
}

const RANGES = new Set('w:bookmarkStart w:bookmarkEnd w:permStart w:permEnd'.split(' '));

/** Bookmarks and permissions have names of their own: in a loop they are written with the first turn only. */
function createOnce(
  tokens: readonly Token[],
  found: FoundTags,
  marks: Marks,
  layout: Layout,
): Once {
  const homes = marks.homes(
    tokens,
    found,
    layout,
    (token) => token.kind !== 'close' && RANGES.has(token.name),
  );
  // A range that begins in one branch and ends in another would be left open.
  const perRange = new Map<string, Set<number>>();
  const keyOf = (token: Token) =>
    `${token.name.replace(/(?:Start|End)$/, '')}:${attribute(token, 'w:id') ?? ''}`;
  for (const [token, home] of homes) {
    const key = keyOf(token);
    perRange.set(key, (perRange.get(key) ?? new Set()).add(token.gone ? -1 : home));
  }
  let slots = 0;
  return {
    has: (token) => homes.has(token),
    emit: (token, builder, inLoop) => {
      if ((perRange.get(keyOf(token))?.size ?? 0) > 1) return;
      if (inLoop) builder.add({ op: 'once', slot: slots++, bytes: Buffer.from(token.raw) });
      else builder.text(token.raw);
    },
    slots: () => slots,
  };
}
