import { decode } from '../../xml/text.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { attribute } from '../../xml/tokens.ts';
import { type Anchors, type Standing, standings } from './anchors.ts';
import type { Block } from './blocks.ts';
import type { CleanPart } from '../clean/clean.ts';
import { type Field, textOf } from '../clean/fields.ts';
import type { Layout } from './levels.ts';
import type { FoundTags } from '../tags/tags.ts';

/** A bookmark's name as a turn of its loop writes it. */
export interface TurnName {
  readonly turns: number;
  readonly name: string;
  /** The text before the number of a later turn. */
  readonly stem: string;
}

/** Bookmarks and permissions inside loops: each turn has its own, and what refers to them follows. */
export interface Ranges {
  /** One end of a range; undefined for those outside of loops, which stay as they are. */
  end(token: Token): RangeEnd | undefined;
  /** A link to a bookmark of the same turn. */
  anchor(link: Token): TurnName | undefined;
  /** A bookmark's name in the instruction of a field of the same turn, and its place in the text. */
  reference(text: Token): (TurnName & { readonly from: number; readonly to: number }) | undefined;
}

export type RangeEnd =
  /** Begun in one branch and ended in another: it would be left open. */
  | { readonly kind: 'unpaired' }
  | { readonly kind: 'paired'; readonly range: number; readonly name: TurnName | undefined };

const RANGE = /^w:(bookmark|perm)(Start|End)$/;
const REFERRING = /^(?:REF|PAGEREF|NOTEREF|HYPERLINK)$/i;
/** Word's longest name of a bookmark. */
const LONGEST = 40;

export function planRanges(input: {
  readonly part: CleanPart;
  readonly found: FoundTags;
  readonly layout: Layout;
  readonly anchors: Anchors;
  readonly turnsOf: (loop: Block) => number;
  /** A helper writes the token's paragraph, or its note is written several times: ranges are left out there. */
  readonly isReplaced: (token: Token) => boolean;
}): Ranges {
  const { found, layout, anchors, turnsOf, isReplaced } = input;
  const { tokens, fields } = input.part;
  const references = referringTexts(fields);
  const isEnd = ({ kind, name }: Token) => kind !== 'close' && RANGE.test(name);
  const standing = standings(
    tokens,
    found,
    layout,
    anchors,
    (token) => isEnd(token) || references.has(token) || token.name === 'w:hyperlink',
  );
  const ends = new Map<Token, RangeEnd>();
  const names = new Map<string, { readonly loop: Block; readonly written: TurnName }>();
  const stemOf = createStems(
    tokens
      .filter(({ name, kind }) => name === 'w:bookmarkStart' && kind !== 'close')
      .map((token) => attribute(token, 'w:name') ?? ''),
  );
  let next = 0;
  for (const pair of pairs([...standing].filter(([token]) => isEnd(token)))) {
    const together = new Set(
      pair.map(([token, { branch }]) => (layout.dropped.has(token) ? -1 : branch)),
    );
    const loop = pair[0]?.[1].loops.at(-1);
    if (together.size > 1 || pair.some(([token]) => isReplaced(token))) {
      for (const [token] of pair) ends.set(token, { kind: 'unpaired' });
    } else if (loop) {
      const range = next++;
      for (const [token] of pair) {
        const name = attribute(token, 'w:name');
        const written =
          name === undefined
            ? undefined
            : { turns: turnsOf(loop), name, stem: stemOf(name, range) };
        if (written) names.set(written.name, { loop, written });
        ends.set(token, { kind: 'paired', range, name: written });
      }
    }
  }
  const inTurn = (token: Token, name: string): TurnName | undefined => {
    const known = names.get(name);
    return known && standing.get(token)?.loops.includes(known.loop) ? known.written : undefined;
  };
  return {
    end: (token) => ends.get(token),
    anchor: (link) => {
      const name = names.size > 0 ? attribute(link, 'w:anchor') : undefined;
      return name === undefined ? undefined : inTurn(link, name);
    },
    reference: (text) => {
      if (!references.has(text)) return undefined;
      for (const [word, from] of wordsOf(decode(text.raw))) {
        const name = inTurn(text, word);
        if (name) return { ...name, from, to: from + word.length };
      }
      return undefined;
    },
  };
}

/** The two ends of each range, which have the same id. */
function pairs(ends: readonly [Token, Standing][]): [Token, Standing][][] {
  const found = new Map<string, [Token, Standing][]>();
  for (const end of ends) {
    const [token] = end;
    const key = `${RANGE.exec(token.name)?.[1] ?? ''} ${attribute(token, 'w:id') ?? ''}`;
    const pair = found.get(key);
    if (pair) pair.push(end);
    else found.set(key, [end]);
  }
  return [...found.values()];
}

/**
 * Room is left for the number; a name that is too long gets one of ours. No other name has the same beginning and then
 * a number: those are looked up, since 90,000 names compared with one another took minutes.
 */
function createStems(names: readonly string[]): (name: string, range: number) => string {
  const taken = new Set(names.map(withoutNumber));
  const made = new Map<string, string>();
  return (name, range) => {
    const wanted = name.length <= LONGEST - 10 ? `${name}_` : `_range${range}_`;
    let stem = made.get(wanted) ?? wanted;
    while (taken.has(stem)) stem += '_';
    made.set(wanted, stem);
    return stem;
  };
}

/** The text before the digits at a name's end; '' for a name without, since every stem has letters. */
function withoutNumber(name: string): string {
  let end = name.length;
  while (/\d/.test(name[end - 1] ?? '')) end -= 1;
  return end === name.length ? '' : name.slice(0, end);
}

function referringTexts(fields: readonly Field[]): ReadonlySet<Token> {
  const texts = new Set<Token>();
  for (const field of fields) {
    if (!REFERRING.test(field.name)) continue;
    if (!/HYPERLINK/i.test(field.name) || /\\l\s/.test(textOf(field)))
      for (const token of field.instruction) texts.add(token);
  }
  return texts;
}

function wordsOf(text: string): [word: string, from: number][] {
  return [...text.matchAll(/[^\s"\\]+/g)].map((match) => [match[0], match.index]);
}
