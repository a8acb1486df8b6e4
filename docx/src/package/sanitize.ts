import { TemplateError } from '../errors.ts';
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
export function sanitize(
  tokens: readonly Token[],
  part: string,
  cut: ReadonlySet<string>,
): Set<string> {
  const taken = new Set<string>();
  for (const token of tokens) {
    if (token.gone || token.kind === 'close' || token.kind === 'text') continue;
    if (token.raw.includes('xmlns')) checkPrefixes(token, part);
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

const TRANSITIONAL = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';

/** The names by which every check here knows an element. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  w: [`${TRANSITIONAL}/wordprocessingml/2006/main`, `${STRICT}/wordprocessingml/main`],
  r: [
    `${TRANSITIONAL}/officeDocument/2006/relationships`,
    `${STRICT}/officeDocument/relationships`,
  ],
  a: [`${TRANSITIONAL}/drawingml/2006/main`, `${STRICT}/drawingml/main`],
  wp: [
    `${TRANSITIONAL}/drawingml/2006/wordprocessingDrawing`,
    `${STRICT}/drawingml/wordprocessingDrawing`,
  ],
  mc: ['http://schemas.openxmlformats.org/markup-compatibility/2006'],
  v: ['urn:schemas-microsoft-com:vml'],
  o: ['urn:schemas-microsoft-com:office:office'],
};
const PREFIX_OF = new Map(
  Object.entries(PREFIXES).flatMap(([prefix, uris]) => uris.map((uri) => [uri, prefix] as const)),
);

/** Other prefixes would slip past every check by name. Word and its kin always write the usual ones. */
function checkPrefixes(token: Token, part: string): void {
  for (const [name, uri] of attributesOf(token)) {
    if (!name.startsWith('xmlns')) continue;
    const prefix = name.slice('xmlns:'.length);
    const usual = PREFIX_OF.get(uri);
    const own = Object.hasOwn(PREFIXES, prefix) ? PREFIXES[prefix] : undefined;
    if ((usual !== undefined && usual !== prefix) || (own && !own.includes(uri))) {
      throw new TemplateError(
        'unsupported_prefix',
        `${part}: the namespace "${uri}" has the unusual prefix "${prefix}". Open the file in Word or LibreOffice and save it again.`,
        { part },
      );
    }
  }
}
