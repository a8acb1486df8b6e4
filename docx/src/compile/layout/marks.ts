import type { Report } from '../../errors.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { child, elementRaw, leading } from '../../xml/tokens.ts';
import type { Block } from './blocks.ts';
import type { Builder } from '../ops/builder.ts';
import type { Expression, PathExpression } from '../tags/expression.ts';
import type { Layout } from './levels.ts';
import type { Op } from '../ops/ops.ts';
import type { Tables } from './shells.ts';
import type { Anchors } from './anchors.ts';
import type { Tag } from '../tags/tags.ts';
import { type FieldUse, type Scopes, absolutePath, collectUses } from '../ops/uses.ts';

/** Turns the marks of blocks into lists of ops, and knows where in them the walk is. */
export interface Marks {
  before(token: Token): readonly Tag[];
  after(token: Token): readonly Tag[];
  emit(tag: Tag): void;
  scopes(): readonly string[];
  inLoop(): boolean;
  inBlock(): boolean;
  /** A note that is repeated is written within the loops of its reference. */
  enterNote(around: Scopes): void;
  leaveNote(): void;
  /** How many blocks by column are open. */
  columnDepth(): number;
}

interface Frame {
  readonly block: Block;
  readonly branches: { readonly test: Expression; readonly body: readonly Op[] }[];
  body: readonly Op[] | undefined;
  test: Expression | undefined;
  scoped: boolean;
}

const NONE: readonly Tag[] = [];

export interface MarksOptions {
  readonly tokens: readonly Token[];
  readonly layout: Layout;
  readonly tables: Tables;
  readonly builder: Builder;
  readonly anchors: Anchors;
  /** The loops whose turns are counted. */
  readonly turns: ReadonlyMap<Block, number>;
  readonly addUse: (use: FieldUse) => void;
  readonly report: Report;
}

export function createMarks(options: MarksOptions): Marks {
  const { tokens, layout, tables, builder, turns, addUse, report } = options;
  const { blockOf, before, after } = options.anchors;
  const frames: Frame[] = [];
  const scopes: string[] = [''];
  let inNote = false;

  const leaveScope = (frame: Frame) => {
    if (frame.scoped) scopes.pop();
    frame.scoped = false;
  };

  const open = (block: Block, value: Expression) => {
    const frame: Frame = { block, branches: [], body: undefined, test: value, scoped: false };
    if (block.name === 'each' && value.kind === 'path') {
      collectUses(value, scopes, block.open.place, 'list', addUse);
      scopes.push(`${absolutePath(value, scopes) ?? ''}[]`);
      frame.scoped = true;
    } else collectUses(value, scopes, block.open.place, 'condition', addUse);
    frames.push(frame);
    builder.open();
  };

  const endBranch = (frame: Frame) => {
    const ops = builder.close();
    if (frame.test) frame.branches.push({ test: frame.test, body: ops });
    else frame.body = ops;
    leaveScope(frame);
  };

  const close = (frame: Frame) => {
    endBranch(frame);
    frames.pop();
    const { block, branches } = frame;
    const { place } = block.open;
    const column = tables.columnSlot(block);
    const otherwise = frame.body ?? sectionFallback(tokens, block, layout);
    const first = branches[0];
    if (block.name === 'each' && first) {
      const list = first.test as PathExpression;
      const slot = turns.get(block);
      const room = tables.columnRoom(block);
      const { body } = first;
      builder.add({ op: 'each', list, body, otherwise, column, room, turns: slot, place });
    } else {
      builder.add({
        op: 'if',
        branches,
        negated: block.name === 'unless',
        otherwise,
        column,
        place,
      });
    }
  };

  return {
    before: (token) => before.get(token) ?? NONE,
    after: (token) => after.get(token) ?? NONE,
    emit: (tag) => {
      const block = blockOf.get(tag);
      const frame = frames.at(-1);
      const { parsed } = tag;
      if (block === undefined) return;
      if (parsed.kind === 'open') open(block, parsed.value);
      else if (frame?.block !== block) {
        // Their tags follow each other, but what they repeat overlaps: two blocks that share a row.
        const other = frame?.block.open.source ?? 'another block';
        const message = `${tag.source} ends what ${other} begins within. Give each of the two rows of its own.`;
        report('crossing_block', message, tag.place);
      } else if (parsed.kind === 'else') {
        endBranch(frame);
        frame.test = parsed.test;
        if (parsed.test) collectUses(parsed.test, scopes, tag.place, 'condition', addUse);
        builder.open();
      } else close(frame);
    },
    scopes: () => scopes,
    enterNote: (around) => {
      inNote = true;
      scopes.splice(0, scopes.length, ...around);
    },
    leaveNote: () => {
      inNote = false;
      scopes.splice(0, scopes.length, '');
    },
    inBlock: () => inNote || frames.length > 0,
    inLoop: () => inNote || frames.some(({ block, scoped }) => block.name === 'each' && scoped),
    columnDepth: () => frames.filter(({ block }) => layout.levels.get(block) === 'column').length,
  };
}

/**
 * Content that is removed may hold the end of a section that began before it. That section break stays, in a paragraph of
 * its own, or the text before it would get the next section's page size and headers.
 */
function sectionFallback(tokens: readonly Token[], block: Block, layout: Layout): readonly Op[] {
  if (layout.levels.get(block) !== 'paragraph') return [];
  const from = layout.positions.get(block.open);
  const to = layout.positions.get(block.close);
  if (!from || !('token' in from) || !to || !('token' in to)) return [];
  const body = tokens[from.token.parent];
  if (body?.name !== 'w:body') return [];
  const start = from.kind === 'before' ? from.token.index : from.token.index + 1;
  const end = to.kind === 'after' ? to.token.index : to.token.index - 1;
  const section = firstSection(tokens, layout, body, start, end);
  if (!section) return [];
  const previous = keptBefore(tokens, layout, start);
  if (!previous || sectionOf(tokens, layout, previous)) return [];
  const paragraph = `<w:p><w:pPr>${elementRaw(tokens, section)}</w:pPr></w:p>`;
  return [{ op: 'bytes', bytes: Buffer.from(paragraph), ends: 'paragraph' }];
}

/** The element that ends before a position and is still there. */
function keptBefore(
  tokens: readonly Token[],
  { dropped }: Layout,
  position: number,
): Token | undefined {
  for (let at = tokens[position - 1]; at && at.kind !== 'open'; at = tokens[at.index - 1]) {
    const element = at.kind === 'close' ? tokens[at.match] : at;
    if (!element) return undefined;
    if (element.kind !== 'text' && !dropped.has(element)) return element;
    at = element;
  }
  return undefined;
}

function firstSection(
  tokens: readonly Token[],
  layout: Layout,
  body: Token,
  from: number,
  to: number,
): Token | undefined {
  for (let i = from; i <= to; i++) {
    const token = tokens[i];
    if (token?.parent !== body.index) continue;
    const section = sectionOf(tokens, layout, token);
    if (section) return section;
  }
  return undefined;
}

/** The section that ends with a paragraph. */
function sectionOf(tokens: readonly Token[], { dropped }: Layout, token: Token): Token | undefined {
  if (token.name !== 'w:p' || token.kind !== 'open' || dropped.has(token)) return undefined;
  const properties = leading(tokens, token, 'w:pPr');
  return properties && child(tokens, properties, 'w:sectPr');
}
