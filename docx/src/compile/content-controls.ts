import type { Token } from '../xml/tokenizer.ts';
import { child, children, removeElement } from '../xml/tokens.ts';
import type { Tag } from './tags.ts';

const BOUND = /^(?:w:dataBinding|w15:dataBinding|w:showingPlcHdr|w:placeholder)$/;

/** Word would write the bound value, or the placeholder, over what the merge put into a content control. */
export function freeContentControls(tokens: readonly Token[], tags: readonly Tag[]): void {
  const freed = new Set<Token>();
  for (const tag of tags) {
    for (let at = tokens[tag.first.parent]; at; at = tokens[at.parent]) {
      if (at.name !== 'w:sdt' || freed.has(at)) continue;
      freed.add(at);
      const properties = child(tokens, at, 'w:sdtPr');
      for (const bound of properties ? children(tokens, properties) : []) {
        if (BOUND.test(bound.name)) removeElement(tokens, bound);
      }
    }
  }
}
