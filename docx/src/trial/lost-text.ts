import { FILLED, paragraphsOf } from './texts.ts';

/** Pieces of a template's text that are not in what was merged from it. Tags are left out, and so are spaces. */
export function lostText(template: string, merged: string): string[] {
  const there = paragraphsOf(merged).map(solid).join('\n');
  return piecesOf(paragraphsOf(template)).filter((piece) => !there.includes(solid(piece)));
}

/**
 * Text that every merge must show: that between the tags, but for what a condition or an {{else}} may leave out. Loops
 * count, since made-up lists are never empty.
 */
function piecesOf(paragraphs: readonly string[]): string[] {
  const blocks: { optional: boolean }[] = [];
  const pieces: string[] = [];
  for (const paragraph of paragraphs.flatMap((text) => text.split(FILLED))) {
    for (const [, tag, text = ''] of paragraph.matchAll(TAG_OR_TEXT)) {
      if (tag === undefined) {
        if (solid(text) !== '' && !blocks.some(({ optional }) => optional))
          pieces.push(text.trim());
        continue;
      }
      const word = /^[#/^]?\s*\w+/.exec(tag.trimStart())?.[0].replaceAll(/\s/g, '') ?? '';
      if (word.startsWith('#')) blocks.push({ optional: word !== '#each' });
      else if (word.startsWith('/')) blocks.pop();
      else if (word === 'else' && blocks.length > 0) blocks[blocks.length - 1] = { optional: true };
    }
  }
  return pieces;
}

/**
 * `\{{` prints braces and is no tag. A tag that is not closed takes the rest: it stands in an equation, where it is not
 * filled.
 */
const TAG_OR_TEXT = /\\\{\{|\{\{([^]*?)(?:\}\}|$)|((?:(?!\\?\{\{)[^])+)/g;

function solid(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
