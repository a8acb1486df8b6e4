import type { Report } from '../../errors.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { child, closest } from '../../xml/tokens.ts';
import type { Block } from './blocks.ts';
import type { Level } from '../tags/expression.ts';
import { belowCommonAncestor, childOf, isFirst, isLast, onlyTags } from './surroundings.ts';
import type { FoundTags, Tag } from '../tags/tags.ts';

/**
 * Where the marks of a block stand: before or after an element, within one text (`text`), or between two runs
 * (`run`, which splits the run).
 */
export type Position =
  | { readonly kind: 'before' | 'after'; readonly token: Token }
  | { readonly kind: 'text' | 'run' };

export interface Layout {
  /** The elements that each block repeats or removes; words, when it is not here. */
  readonly levels: ReadonlyMap<Block, Level>;
  readonly positions: ReadonlyMap<Tag, Position>;
  /** Cells, text boxes and the like that a false condition could leave without a paragraph. */
  readonly containers: ReadonlySet<Token>;
  /** Tables and rows that could be left without rows or cells. */
  readonly shells: ReadonlySet<Token>;
  /** The cells that a block by column repeats. */
  readonly columns: ReadonlyMap<Block, { from: Token; to: Token; row: Token }>;
  /** Tokens that are not written: paragraphs and rows that hold nothing but tags. */
  readonly dropped: ReadonlySet<Token>;
}

interface Context {
  readonly tokens: readonly Token[];
  readonly found: FoundTags;
  readonly isListItem: (paragraph: Token) => boolean;
  readonly report: Report;
  readonly levels: Map<Block, Level>;
  readonly positions: Map<Tag, Position>;
  readonly containers: Set<Token>;
  readonly shells: Set<Token>;
  readonly columns: Map<Block, { from: Token; to: Token; row: Token }>;
  readonly dropped: Set<Token>;
}

/**
 * The rules an author sees: opener and closer in different cells of a row repeat the row; in different rows, the
 * rows; alone in their paragraphs, those paragraphs vanish; in one paragraph, inline. Everything else crosses
 * containers and is refused.
 */
export function layOutBlocks(
  input: Pick<Context, 'tokens' | 'found' | 'isListItem' | 'report'> & {
    readonly blocks: readonly Block[];
  },
): Layout {
  const { tokens, found, blocks, isListItem, report } = input;
  const context: Context = {
    tokens,
    found,
    isListItem,
    report,
    levels: new Map(),
    positions: new Map(),
    containers: new Set(),
    shells: new Set(),
    columns: new Map(),
    dropped: new Set(found.dropped),
  };
  // Outer blocks come first: whether an inner one may take its whole paragraph depends on them.
  for (const block of blocks) layOut(context, block);
  return context;
}

function layOut(context: Context, block: Block): void {
  const { open, close } = block;
  const hint = open.parsed.kind === 'open' ? open.parsed.level : undefined;
  if (hint === 'row' || hint === 'column') return layOutInTable(context, block, hint);
  if (open.paragraph === close.paragraph) {
    if (takesParagraph(context, block, hint))
      layOutUnits(context, block, open.paragraph, open.paragraph);
    else layOutInline(context, block);
    return;
  }
  const [from, to] = belowCommonAncestor(context.tokens, open.paragraph, close.paragraph);
  // When one is inside the other (a text box in a paragraph), both are the same.
  if (from && to && from !== to) {
    if (from.name === 'w:tc' && to.name === 'w:tc') return layOutInTable(context, block, 'row');
    if (isRow(context, from) && isRow(context, to)) return layOutRows(context, block, from, to);
    if (isUnit(context, from) && isUnit(context, to)) return layOutUnits(context, block, from, to);
  }
  context.report(
    'crossing_block',
    `${open.source} and ${close.source} stand in different containers (a table, a cell, a text box). Put both in the same one, or in two cells of the same row.`,
    open.place,
  );
}

/** A condition, or a loop in a list, that fills its paragraph takes the whole of it: no blank line is left. */
function takesParagraph(context: Context, block: Block, hint: string | undefined): boolean {
  const { open, close, parent } = block;
  if (parent && !context.levels.has(parent) && parent.open.paragraph === open.paragraph)
    return false;
  if (hint === 'paragraph') return true;
  if (hint === 'inline' || block.elses.length > 0) return false;
  if (!isFirst(context.found, open) || !isLast(context.found, close)) return false;
  return block.name !== 'each' || context.isListItem(open.paragraph);
}

function layOutInline(context: Context, block: Block): void {
  const { tokens, positions, report } = context;
  const tags = [block.open, ...block.elses, block.close];
  const stray = block.elses.find((tag) => tag.paragraph !== block.open.paragraph);
  if (stray) {
    report(
      'misplaced_else',
      `{{else}} stands in another paragraph than ${block.open.source}.`,
      stray.place,
    );
    return;
  }
  const sameText = tags.every((tag) => tag.first === block.open.first);
  const parents = new Set(tags.map((tag) => closest(tokens, tag.first, 'w:r')?.parent));
  if (!sameText && parents.size > 1) {
    report(
      'crossing_block',
      `${block.open.source} starts inside a link, field or content control and ends outside of it.`,
      block.open.place,
    );
    return;
  }
  for (const tag of tags) positions.set(tag, { kind: sameText ? 'text' : 'run' });
}

/** Whole paragraphs. Those that hold nothing but tags vanish. */
function layOutUnits(context: Context, block: Block, from: Token, to: Token): void {
  context.levels.set(block, 'paragraph');
  const { open, close } = block;
  const container = context.tokens[from.parent];
  if (container) context.containers.add(container);
  const misplaced = (tag: Tag, where: string) =>
    context.report(
      'crossing_block',
      `${tag.source} stands ${where} of its paragraph, and its block spans several. Put the tag alone in a paragraph.`,
      tag.place,
    );
  if (!isFirst(context.found, open)) return misplaced(open, 'in the middle');
  if (!isLast(context.found, close)) return misplaced(close, 'in the middle');
  place(context, open, from, 'before');
  for (const tag of block.elses) {
    const unit = childOf(context.tokens, container, tag.paragraph);
    if (!unit) {
      context.report('misplaced_else', `{{else}} stands deeper than ${open.source}.`, tag.place);
    } else if (isFirst(context.found, tag)) place(context, tag, unit, 'before');
    else if (isLast(context.found, tag)) place(context, tag, unit, 'after');
    else misplaced(tag, 'in the middle');
  }
  place(context, close, to, 'after');
}

/** Puts a tag beside its paragraph, or where the paragraph was when nothing else is in it. */
function place(context: Context, tag: Tag, unit: Token, side: 'before' | 'after'): void {
  const { tokens, found, positions } = context;
  const paragraph = found.paragraphs.get(unit);
  const kind = tag.parsed.kind;
  let kept: 'before' | 'after' = side;
  if (onlyTags(context.tokens, context.found, unit)) {
    const firstBreak = paragraph?.pageBreaksAt[0];
    if (paragraph?.section) {
      // The section break stays: before what opens, after what closes.
      kept = kind === 'close' ? 'before' : 'after';
    } else if (firstBreak !== undefined) {
      // So does a page break, on its own side of the tag.
      kept = tag.first.index < firstBreak ? 'before' : 'after';
    } else {
      drop(context, unit);
      kept = 'before';
    }
  }
  positions.set(tag, {
    kind: kept,
    token: tokens[kept === 'before' ? unit.index : unit.match] ?? unit,
  });
}

/** Once per element: it may hold thousands of tags. */
function drop({ tokens, dropped }: Context, unit: Token): void {
  if (dropped.has(unit)) return;
  for (const token of tokens.slice(unit.index, unit.match + 1)) dropped.add(token);
}

function layOutInTable(context: Context, block: Block, level: 'row' | 'column'): void {
  const { tokens, report, positions, columns, shells } = context;
  const { open, close } = block;
  const rowOfOpen = closest(tokens, open.paragraph, 'w:tr');
  const rowOfClose = closest(tokens, close.paragraph, 'w:tr');
  if (!rowOfOpen || !rowOfClose || (level === 'column' && rowOfOpen !== rowOfClose)) {
    report(
      'crossing_block',
      level === 'row'
        ? `${open.source} repeats a row, but stands outside of a table.`
        : `${open.source} repeats a column: open and close it in cells of the same row.`,
      open.place,
    );
    return;
  }
  if (level === 'row') {
    const [from, to] =
      rowOfOpen === rowOfClose
        ? [rowOfOpen, rowOfOpen]
        : belowCommonAncestor(tokens, rowOfOpen, rowOfClose);
    layOutRows(context, block, from ?? rowOfOpen, to ?? rowOfClose);
    return;
  }
  const from = childOf(tokens, rowOfOpen, open.paragraph);
  const to = childOf(tokens, rowOfOpen, close.paragraph);
  const stray = block.elses[0];
  if (stray) report('misplaced_else', 'A block by column has no {{else}}.', stray.place);
  if (!from || !to) return;
  context.levels.set(block, 'column');
  const table = closest(tokens, rowOfOpen, 'w:tbl');
  shells.add(rowOfOpen);
  if (table) addTable(context, table);
  columns.set(block, { from, to, row: rowOfOpen });
  positions.set(open, { kind: 'before', token: from });
  positions.set(close, { kind: 'after', token: tokens[to.match] ?? to });
}

/** Whole rows. A row that holds nothing but tags vanishes. */
function layOutRows(context: Context, block: Block, from: Token, to: Token): void {
  context.levels.set(block, 'row');
  const { tokens, report } = context;
  const table = closest(tokens, from, 'w:tbl');
  if (table) addTable(context, table);
  const container = tokens[from.parent];
  if (from === to) {
    context.positions.set(block.open, { kind: 'before', token: from });
    context.positions.set(block.close, { kind: 'after', token: tokens[to.match] ?? to });
  } else {
    place(context, block.open, from, 'before');
    place(context, block.close, to, 'after');
  }
  for (const tag of block.elses) {
    const row = childOf(tokens, container, tag.paragraph);
    if (row && row !== from && row !== to && onlyTags(context.tokens, context.found, row))
      place(context, tag, row, 'before');
    else report('misplaced_else', 'Put {{else}} into a table row of its own.', tag.place);
  }
}

function addTable(context: Context, table: Token): void {
  context.shells.add(table);
  const container = context.tokens[table.parent];
  if (container) context.containers.add(container);
}

function isRow(context: Context, token: Token): boolean {
  if (token.name === 'w:tr') return true;
  const content = token.name === 'w:sdt' && child(context.tokens, token, 'w:sdtContent');
  return content ? child(context.tokens, content, 'w:tr') !== undefined : false;
}

function isUnit(context: Context, token: Token): boolean {
  return (
    token.name === 'w:p' ||
    (token.name === 'w:sdt' && onlyTags(context.tokens, context.found, token))
  );
}
