import { readParagraphs } from './compile/tags/paragraphs.ts';
import { snippetOf } from './compile/tags/scan.ts';
import { DIALECTS, type Dialect, type Sign } from './dialects.ts';
import type { Place } from './errors.ts';
import type { Token } from './xml/tokenizer.ts';

export interface ForeignTag {
  readonly place: Place;
  readonly message: string;
}

interface Match {
  readonly source: string;
  readonly weight: Sign['weight'];
  readonly place: Place;
  readonly instead: () => string;
}

/** Different hints that make up for a sure sign. */
const HINTS = 2;
/** The most tags that are named of each dialect: whoever sees these knows what to do with the others. */
const MOST_NAMED = 20;

/** Tags of other template languages: they would be printed as they stand, in every document. */
export function foreignTags(
  parts: readonly { readonly name: string; readonly tokens: readonly Token[] }[],
): ForeignTag[] {
  const known = new Map<Dialect, Map<string, Match>>();
  for (const { name, tokens } of parts) {
    /** The names of the items of the loops around, by dialect. */
    const loops = new Map<Dialect, readonly string[]>();
    for (const { text, number } of readParagraphs({ tokens })) {
      if (!MARKS.test(text)) continue;
      for (const [dialect, match] of matchesIn(text, { part: name, paragraph: number }, loops)) {
        const matches = known.get(dialect) ?? new Map<string, Match>();
        known.set(dialect, matches);
        if (matches.get(match.source)?.weight !== 'sure') matches.set(match.source, match);
      }
    }
  }
  return [...known].flatMap(([dialect, matches]) => tagsOf(dialect, [...matches.values()]));
}

function tagsOf({ name }: Dialect, matches: readonly Match[]): ForeignTag[] {
  const count = (weight: Match['weight']) =>
    matches.filter((match) => match.weight === weight).length;
  if (count('sure') + count('likely') === 0 && count('hint') < HINTS) return [];
  return matches.slice(0, MOST_NAMED).map(({ source, place, instead }, index) => {
    const more = matches.length - MOST_NAMED;
    const rest = index === MOST_NAMED - 1 && more > 0 ? ` There are ${more} more of its tags.` : '';
    return { place, message: `${source}: this is ${name}. ${instead()}${rest}` };
  });
}

/** Without any of these no dialect has a tag in a text. */
const MARKS = /[{«]|\+\+\+|<<|[[<]\/?#|#foreach|#if/;

/** Listings are full of braces: what is only a hint in a text is none there. */
const CODE =
  /[;{]\s*$|=>|\(\)|":\s|<\/\w|\\[a-z]+\{|^\s*(?:const|let|var|def|return|import|public|private|function|class|#include|echo|print|if|for|\/\/|\$ )\b/;

function* matchesIn(
  text: string,
  where: Omit<Place, 'snippet'>,
  loops: Map<Dialect, readonly string[]>,
): Generator<[Dialect, Match]> {
  const tags = [...text.matchAll(OURS)];
  const isCode = CODE.test(text);
  // Tags that one sign has found are blanked for those below it, and our own tags for all of them.
  let left = text.replace(OURS, blank);
  for (const dialect of DIALECTS) {
    const matches = dialect.signs.flatMap(({ weight, pattern, instead, inTags }) => {
      const here = inTags
        ? tags.flatMap(({ index, 0: tag }) => found(tag, pattern, index))
        : found(left, pattern, 0);
      if (!inTags && here.length > 0) left = left.replace(pattern, blank);
      const counted = isCode && (weight === 'hint' || weight === 'likely') ? 'weak' : weight;
      return here.map((match) => ({ ...match, weight: counted, instead, inTags }));
    });
    // Loops are opened and closed in the order of the text.
    if (dialect.loopOf !== undefined) matches.sort((a, b) => a.at - b.at);
    for (const { at, source, groups, weight, instead, inTags } of matches) {
      const around = loops.get(dialect) ?? [];
      const place = { ...where, snippet: snippetOf(text, at, at + source.length) };
      // Only a tag of our own may be none of theirs: what to write is worked out for the few that are named.
      if (!inTags || instead(groups, around) !== undefined)
        yield [dialect, { source, weight, place, instead: () => instead(groups, around) ?? '' }];
      const turn = dialect.loopOf?.(source);
      if (turn === 'closes') loops.set(dialect, around.slice(0, -1));
      else if (turn !== undefined) loops.set(dialect, [...around, turn.opens]);
    }
  }
}

const OURS = /\{\{[^{}]*\}\}/g;

function blank(matched: string): string {
  return ' '.repeat(matched.length);
}

function found(
  text: string,
  pattern: RegExp,
  offset: number,
): { at: number; source: string; groups: string[] }[] {
  return [...text.matchAll(pattern)].map((match) => {
    const [source = '', ...groups] = match.map((group) => group ?? '');
    return { at: offset + match.index, source, groups };
  });
}
