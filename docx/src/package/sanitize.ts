import type { Token } from '../xml/tokenizer.ts';
import { attributesOf, removeAttributes, removeElement, unwrapElement } from '../xml/tokens.ts';

/** Elements that only bring in other files, run something, or name the author's machine. */
const REFUSED = new Set(
  (
    'w:altChunk w:subDoc o:OLEObject w:objectEmbed w:objectLink w:control ' +
    'w:attachedTemplate w:mailMerge w:saveThroughXslt w:frameset w:movie'
  ).split(' '),
);

/** Where a reference is cut, the element itself stays: it has a picture or words of its own. */
const KEEPS_WITHOUT_REFERENCE = new Set(['a:blip', 'w:object', 'w:pict', 'w14:contentPart']);

/** Attributes by which VML names a file without a relationship. */
const VML_SOURCES = new Set(['src', 'o:src', 'o:href', 'o:althref', 'r:href', 'href']);

/**
 * Takes out of a part what reaches outside the file. `cut` holds the ids of the relationships that were
 * refused. Says what it took, once each, for the author.
 */
export function sanitize(tokens: readonly Token[], cut: ReadonlySet<string>): Set<string> {
  const taken = new Set<string>();
  for (const token of tokens) {
    if (token.gone || token.kind === 'close' || token.kind === 'text') continue;
    if (REFUSED.has(token.name)) {
      removeElement(tokens, token);
      taken.add(token.name);
      continue;
    }
    if (cut.size > 0 && refersTo(token, cut)) {
      taken.add(`a reference in ${token.name}`);
      if (token.name === 'w:hyperlink') unwrapElement(tokens, token);
      else if (KEEPS_WITHOUT_REFERENCE.has(token.name) || token.name.startsWith('v:')) {
        removeAttributes(token, (name, value) => name.includes(':') && cut.has(value));
      } else removeElement(tokens, token);
    }
    if (/^[vo]:/.test(token.name) && removeAttributes(token, isVmlSource)) {
      taken.add(`a source in ${token.name}`);
    }
  }
  return taken;
}

function isVmlSource(name: string, value: string): boolean {
  return VML_SOURCES.has(name) && !(name === 'href' && /^(?:https?:|mailto:|#)/i.test(value));
}

function refersTo(token: Token, cut: ReadonlySet<string>): boolean {
  if (!/\s(?:r|o):/.test(token.raw)) return false;
  return attributesOf(token).some(
    ([name, value]) => (name.startsWith('r:') || name === 'o:relid') && cut.has(value),
  );
}
