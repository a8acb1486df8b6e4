import { readParagraphs } from './compile/tags/paragraphs.ts';
import { snippetOf } from './compile/tags/scan.ts';
import { DIALECTS, type Dialect } from './dialects.ts';
import type { Place } from './errors.ts';
import type { Token } from './xml/tokenizer.ts';

export interface ForeignTag {
  readonly place: Place;
  readonly message: string;
}

interface Match {
  readonly source: string;
  readonly weight: 'sure' | 'hint' | 'weak';
  readonly place: Place;
  readonly instead: () => string;
}

/** Different hints that make up for a sure sign. */
const HINTS = 2;
/** Of each dialect: who sees these knows what to do with the others. */
const MOST_NAMED = 20;

/** Tags of other template languages: they would be printed as they stand, in every document. */
export function foreignTags(
  parts: readonly { readonly name: string; readonly tokens: readonly Token[] }[],
): ForeignTag[] {
  const known = new Map<Dialect, Map<string, Match>>();
  for (const { name, tokens } of parts) {
    for (const { text, number } of readParagraphs({ tokens })) {
      if (!MARKS.test(text)) continue;
      for (const [dialect, match] of matchesIn(text, name, number)) {
        const matches = known.get(dialect) ?? new Map<string, Match>();
        known.set(dialect, matches);
        if (matches.get(match.source)?.weight !== 'sure') matches.set(match.source, match);
      }
    }
  }
  return [...known].flatMap(([dialect, matches]) => told(dialect, [...matches.values()]));
}

function told({ name }: Dialect, matches: readonly Match[]): ForeignTag[] {
  const count = (weight: Match['weight']) =>
    matches.filter((match) => match.weight === weight).length;
  if (count('sure') === 0 && count('hint') < HINTS) return [];
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

function* matchesIn(text: string, part: string, paragraph: number): Generator<[Dialect, Match]> {
  const tags = [...text.matchAll(OURS)];
  const isCode = CODE.test(text);
  // What one sign has found is blanked for those below it, and our own tags for all of them.
  let left = text.replace(OURS, blank);
  for (const dialect of DIALECTS) {
    for (const { weight, pattern, instead, inTags } of dialect.signs) {
      const matches = inTags
        ? tags.flatMap(({ index, 0: tag }) => found(tag, pattern, index))
        : found(left, pattern, 0);
      if (!inTags && matches.length > 0) left = left.replace(pattern, blank);
      for (const { at, source, groups } of matches) {
        const place = { part, paragraph, snippet: snippetOf(text, at, at + source.length) };
        const counted = isCode && weight === 'hint' ? 'weak' : weight;
        yield [dialect, { source, weight: counted, place, instead: () => instead(...groups) }];
      }
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
