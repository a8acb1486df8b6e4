import type { Token } from '../../xml/tokenizer.ts';
import { child, children } from '../../xml/tokens.ts';
import type { Tag } from './scan.ts';

const BOUND = /^(?:w:dataBinding|w15:dataBinding|w:showingPlcHdr|w:placeholder)$/;

/** Word would write the bound value, or the placeholder, over what the merge put into a content control. */
export function boundProperties(tokens: readonly Token[], tags: readonly Tag[]): Token[] {
  const seen = new Set<Token>();
  const bound: Token[] = [];
  for (const tag of tags) {
    for (let at = tokens[tag.first.parent]; at; at = tokens[at.parent]) {
      if (at.name !== 'w:sdt' || seen.has(at)) continue;
      seen.add(at);
      const properties = child(tokens, at, 'w:sdtPr');
      for (const property of properties ? children(tokens, properties) : []) {
        if (BOUND.test(property.name)) {
          bound.push(...tokens.slice(property.index, property.match + 1));
        }
      }
    }
  }
  return bound;
}
