import type { Report } from '../../errors.ts';
import { escapeText } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { closest, elementRaw, leading } from '../../xml/tokens.ts';
import { anchorsOf } from '../layout/anchors.ts';
import type { Block } from '../layout/blocks.ts';
import { type Builder, createBuilder } from './builder.ts';
import type { CleanPart } from '../clean/clean.ts';
import { createElements } from './elements.ts';
import { createMarks } from '../layout/marks.ts';
import type { Expression } from '../tags/expression.ts';
import type { Layout } from '../layout/levels.ts';
import type { Op, RunContext } from './ops.ts';
import type { Numbering } from '../numbering.ts';
import { planRanges } from '../layout/ranges.ts';
import { planRestarts } from '../layout/restarts.ts';
import type { Styles } from '../styles.ts';
import { createTables, paragraphFallback } from '../layout/shells.ts';
import type { FoundTags, Segment, Tag } from '../tags/tags.ts';
import { HELPERS } from '../../helpers/names.ts';
import { type FieldUse, type Scopes, collectUses } from './uses.ts';
import { type RepeatedNotes, createNotes, noteOf } from '../notes.ts';

export interface Emission {
  readonly ops: readonly Op[];
  readonly uses: readonly FieldUse[];
  /** Lists begin again in it, so each merge writes the numbering part. */
  readonly restartsLists: boolean;
  readonly draws: ReadonlySet<string>;
  /** The notes that its loops refer to. */
  readonly repeatedNotes: RepeatedNotes;
}

/** Facts of the whole file that a part needs. */
export interface Surroundings {
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** The notes that loops of the main part refer to. */
  readonly repeatedNotes: RepeatedNotes;
}

/** One walk over the tokens writes the op tree: text as bytes, tags as ops, blocks as lists. */
export function emit(input: {
  readonly part: CleanPart;
  readonly found: FoundTags;
  readonly blocks: readonly Block[];
  readonly layout: Layout;
  readonly surroundings: Surroundings;
  readonly report: Report;
}): Emission {
  const { part, found, blocks, layout, report } = input;
  const { styles, numbering } = input.surroundings;
  const repeatedNotes = new Map<string, Scopes>();
  const { tokens } = part;
  const builder = createBuilder();
  // A text box is in the file twice: what it asks for is listed once.
  const uses = new Map<string, FieldUse>();
  const addUse = (use: FieldUse) => {
    uses.set(`${use.path} ${use.kind} ${use.paragraph} ${use.snippet}`, use);
  };
  const draws = new Set<string>();
  const turns = new Map<Block, number>();
  const turnsOf = (loop: Block): number => {
    const slot = turns.get(loop) ?? turns.size;
    turns.set(loop, slot);
    return slot;
  };
  const anchors = anchorsOf(blocks, layout);
  const richTexts = wholeHtml(tokens, found);
  const ranges = planRanges({
    part,
    found,
    layout,
    anchors,
    turnsOf,
    isReplaced: (token) => {
      const paragraph = closest(tokens, token, 'w:p');
      if (paragraph && richTexts.has(paragraph)) return true;
      const note = closest(tokens, token, 'w:footnote', 'w:endnote');
      return note !== undefined && input.surroundings.repeatedNotes.has(noteOf(note) ?? '');
    },
  });
  const restarts = planRestarts({ tokens, found, layout, anchors, styles, numbering, turnsOf });
  const tables = createTables(tokens, layout, builder);
  const marks = createMarks({ tokens, layout, tables, builder, anchors, turns, addUse, report });
  let afterBlock = false;
  let blockSinceBreak = true;

  const markAll = (tags: readonly Tag[]) => {
    for (const tag of tags) {
      marks.emit(tag);
      afterBlock = true;
      blockSinceBreak = true;
    }
  };

  const use = (tag: Tag) => {
    if (tag.parsed.kind !== 'value') return;
    const isConditional = marks.inBlock();
    collectUses(tag.parsed.value, marks.scopes(), tag.place, 'value', (one) =>
      addUse(isConditional ? { ...one, conditional: true } : one),
    );
  };

  const emitValueOf = (tag: Tag, helper?: string) => {
    if (tag.parsed.kind !== 'value') return;
    emitValue(tokens, tag, tag.parsed.value, builder, draws, helper);
    use(tag);
  };

  const emitSegments = (segments: readonly Segment[]) => {
    for (const segment of segments) {
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

  const elements = createElements({
    tokens,
    found,
    builder,
    ranges,
    restarts,
    draws,
    inLoop: marks.inLoop,
    repeatNote: (note) => repeatedNotes.set(note, [...marks.scopes()]),
    emitTag: emitValueOf,
    use,
  });

  const notes = createNotes(tokens, input.surroundings.repeatedNotes, builder, marks);

  const emitToken = (token: Token) => {
    const segments = token.kind === 'text' ? found.segments.get(token) : undefined;
    if (segments) emitSegments(segments);
    else if (isTextWithTags(tokens, found, token)) builder.text('<w:t xml:space="preserve">');
    else if (notes.emit(token)) return;
    else if (!elements.emit(token)) tables.emit(token, marks.columnDepth());
  };

  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!token) break;
    markAll(marks.before(token));
    if (!layout.dropped.has(token)) {
      if (token.name === 'w:tbl' && token.kind === 'open' && afterBlock)
        builder.add({ op: 'apart' });
      if (token.kind === 'close') emitEnsure(tokens, token, layout, builder);
      if (isLastSection(tokens, token, layout))
        emitEnsure(tokens, tokens[token.parent], layout, builder);
      if (isPageBreakParagraph(tokens, found, token)) {
        const bytes = Buffer.from(elementRaw(tokens, token));
        builder.add({ op: 'pageBreak', bytes, skips: blockSinceBreak });
        blockSinceBreak = false;
        i = token.match;
        afterBlock = false;
        markAll(marks.after(tokens[i] ?? token));
        continue;
      }
      const html = richTexts.get(token);
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
    restartsLists: restarts.size > 0,
    draws,
    repeatedNotes,
  };
}

/** Spaces around a value count, whatever the template says of its own. */
function isTextWithTags(tokens: readonly Token[], found: FoundTags, token: Token): boolean {
  const next = tokens[token.index + 1];
  return token.kind === 'open' && token.name === 'w:t' && !!next && found.segments.has(next);
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
  if (tag.site !== 'text') builder.add({ op: 'plain', value, as: tag.site, place });
  else if (value.kind === 'call' && HELPERS.get(value.name)?.draws) {
    draws.add(value.name);
    const run = runContext(tokens, tag);
    builder.add({ op: 'draw', helper: helper ?? value.name, call: value, run, place });
  } else builder.add({ op: 'text', value, place });
}

/** Rich text alone in its paragraph may become several paragraphs, which take the place of that one. */
function wholeHtml(tokens: readonly Token[], found: FoundTags): ReadonlyMap<Token, Tag> {
  const texts = new Map<Token, Tag>();
  for (const [token, { tags, text, contentAt }] of found.paragraphs) {
    const tag = tags[0];
    if (tag?.parsed.kind !== 'value' || tags.length > 1) continue;
    const { value } = tag.parsed;
    const isHtml = value.kind === 'call' && value.name === 'html';
    const alone = contentAt.length === 0 && text.trim() === tag.source;
    if (isHtml && alone && runContext(tokens, tag).splits) texts.set(token, tag);
  }
  return texts;
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
  builder.add(paragraphFallback(tokens, container));
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

function isPageBreakParagraph(tokens: readonly Token[], found: FoundTags, token: Token): boolean {
  const paragraph =
    token.kind === 'open' && token.name === 'w:p' ? found.paragraphs.get(token) : undefined;
  return (
    paragraph !== undefined &&
    paragraph.pageBreaksAt.length > 0 &&
    paragraph.contentAt.length === 0 &&
    paragraph.text.trim() === '' &&
    paragraph.section === undefined &&
    // A bookmark in it needs a name of its own in each turn of a loop.
    !/<w:(?:bookmark|perm)/.test(elementRaw(tokens, token))
  );
}
