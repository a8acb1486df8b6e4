import type { Token } from '../../xml/tokenizer.ts';
import { attribute, child, leading } from '../../xml/tokens.ts';
import { type Anchors, standings } from './anchors.ts';
import type { Block } from './blocks.ts';
import type { Layout } from './levels.ts';
import type { Numbering } from '../numbering.ts';
import { type ListLevel, type Styles, listWithin } from '../styles.ts';
import type { FoundTags } from '../tags/tags.ts';

/** A list that begins again with each turn of a loop. */
export interface Restart {
  readonly list: number;
  readonly turns: number;
  readonly numId: string;
  readonly level: number;
  /** The first turn keeps the template's list: nothing before the loop is in it. */
  readonly keepsFirst: boolean;
}

interface Item extends ListLevel {
  readonly paragraph: Token;
  readonly loops: readonly Block[];
}

/**
 * The list paragraphs that begin at one again in each turn of a loop around their list. A loop over the items themselves
 * does not restart it: one item of the list in each turn, or nothing but items. So a loop restarts a list when its body
 * holds something else too, and of the list's highest level there either several paragraphs or a loop over them
 * (docs/decisions/0011-accepted-changes.md).
 */
export function planRestarts(options: {
  readonly tokens: readonly Token[];
  readonly found: FoundTags;
  readonly layout: Layout;
  readonly anchors: Anchors;
  readonly styles: Styles;
  readonly numbering: Numbering;
  readonly turnsOf: (loop: Block) => number;
}): ReadonlyMap<Token, Restart> {
  const { tokens, found, layout, anchors, styles, numbering, turnsOf } = options;
  const restarts = new Map<Token, Restart>();
  const lists = new Map<string, Item[]>();
  const perLoop = new Map<Block, number>();
  const standing = standings(
    tokens,
    found,
    layout,
    anchors,
    ({ kind, name }) => kind === 'open' && name === 'w:p',
  );
  for (const [paragraph, { loops }] of standing) {
    if (layout.dropped.has(paragraph)) continue;
    for (const loop of loops) perLoop.set(loop, (perLoop.get(loop) ?? 0) + 1);
    const list = listOf(tokens, paragraph, styles);
    if (!list || !numbering.counts(list)) continue;
    const items = lists.get(list.numId) ?? [];
    items.push({ ...list, paragraph, loops });
    lists.set(list.numId, items);
  }
  let next = 0;
  for (const [numId, items] of lists) {
    const restarting = new Map<Block, number>();
    for (const loop of new Set(items.flatMap(({ loops }) => loops))) {
      const inside = items.filter(({ loops }) => loops.includes(loop));
      if (inside.length === perLoop.get(loop)) continue;
      if (isListOfItsOwn(inside, loop)) restarting.set(loop, next++);
    }
    for (const { paragraph, loops, level } of items) {
      const loop = loops.findLast((each) => restarting.has(each));
      const list = loop && restarting.get(loop);
      if (!loop || list === undefined) continue;
      const keepsFirst = items[0]?.loops.includes(loop) ?? false;
      restarts.set(paragraph, { list, turns: turnsOf(loop), numId, level, keepsFirst });
    }
  }
  return restarts;
}

function isListOfItsOwn(inside: readonly Item[], loop: Block): boolean {
  const highest = Math.min(...inside.map(({ level }) => level));
  const items = inside.filter(({ level }) => level === highest);
  return items.length > 1 || items.some(({ loops }) => loops.at(-1) !== loop);
}

function listOf(tokens: readonly Token[], paragraph: Token, styles: Styles): ListLevel | undefined {
  const properties = leading(tokens, paragraph, 'w:pPr');
  if (!properties) return undefined;
  const named = child(tokens, properties, 'w:pStyle');
  const style = named && attribute(named, 'w:val');
  const styled = style === undefined ? undefined : styles.listOf(style);
  const own = listWithin(tokens, properties);
  if (!child(tokens, properties, 'w:numPr')) return styled;
  return own.numId === undefined ? undefined : { numId: own.numId, level: own.level ?? 0 };
}
