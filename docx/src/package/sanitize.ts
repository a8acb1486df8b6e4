import type { Token } from '../xml/tokenizer.ts';
import { attributesOf, removeAttributes, removeElement, unwrapElement } from '../xml/tokens.ts';
import { referredKind } from './kinds.ts';
import { WEB_LINK } from './relationships.ts';

/** Elements that only bring in other files, run something, or name the author's machine. */
const REFUSED = new Set(
  (
    'w:altChunk w:subDoc o:OLEObject w:objectEmbed w:objectLink w:control w:attachedTemplate ' +
    'w:mailMerge w:saveThroughXslt w:frameset w:movie w:printerSettings'
  ).split(' '),
);

/** Elements that mean nothing without their reference; others lose the attribute alone. */
const ONLY_REFERENCES =
  /^(?:w:(?:header|footer)Reference|w:embed\w+|cx?:(?:chart|externalData|userShapes)|dgm:relIds|a:hlink\w+|asvg:svgBlip|a14:imgLayer)$/;

/** Attributes by which VML names a file without a relationship. */
const VML_SOURCES = new Set(['src', 'o:src', 'o:href', 'o:althref', 'href']);

/**
 * Takes out of a part what reaches outside the file. `kinds` says what each relationship that was kept leads to: a
 * reference stays where it leads to what such a reference may. Says what it took, once each, for the author.
 */
export function sanitize(
  tokens: readonly Token[],
  kinds: ReadonlyMap<string, string>,
): Set<string> {
  const taken = new Set<string>();
  for (const token of tokens) {
    if (token.gone || token.kind === 'close' || token.kind === 'text') continue;
    if (REFUSED.has(token.name)) {
      removeElement(tokens, token);
      taken.add(token.name);
      continue;
    }
    if (hasBadReference(token, kinds)) {
      taken.add(`a reference in ${token.name}`);
      if (token.name === 'w:hyperlink') unwrapElement(tokens, token);
      else if (ONLY_REFERENCES.test(token.name)) removeElement(tokens, token);
      else removeAttributes(token, (name, value) => isBadReference(token, name, value, kinds));
    }
    if (
      (token.name.startsWith('v:') || token.name.startsWith('o:')) &&
      removeAttributes(token, isVmlSource)
    ) {
      taken.add(`a source in ${token.name}`);
    }
  }
  return taken;
}

function isVmlSource(name: string, value: string): boolean {
  return VML_SOURCES.has(name) && !(name === 'href' && WEB_LINK.test(value));
}

function hasBadReference(token: Token, kinds: ReadonlyMap<string, string>): boolean {
  if (!token.raw.includes(' r:') && !token.raw.includes(' o:relid')) return false;
  return attributesOf(token).some(([name, value]) => isBadReference(token, name, value, kinds));
}

function isBadReference(
  { name: element }: Token,
  name: string,
  value: string,
  kinds: ReadonlyMap<string, string>,
): boolean {
  if (value === '' || !(name.startsWith('r:') || name === 'o:relid')) return false;
  const kind = kinds.get(value);
  return kind === undefined || kind !== referredKind(element, name);
}
