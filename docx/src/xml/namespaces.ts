import { TemplateError } from '../errors.ts';
import { decode, escapeAttribute } from './text.ts';
import type { Token } from './tokenizer.ts';
import { attributesOf, quotedAttributesOf } from './tokens.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const STRICT = 'http://purl.oclc.org/ooxml';
const WORD_2010 = 'http://schemas.microsoft.com/office/word/2010';
const DRAWING = 'http://schemas.microsoft.com/office/drawing';

/** The prefix by which every later step knows a namespace; some have a second name in the ISO strict form. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  w: [`${OFFICE}/wordprocessingml/2006/main`, `${STRICT}/wordprocessingml/main`],
  r: [`${OFFICE}/officeDocument/2006/relationships`, `${STRICT}/officeDocument/relationships`],
  wp: [
    `${OFFICE}/drawingml/2006/wordprocessingDrawing`,
    `${STRICT}/drawingml/wordprocessingDrawing`,
  ],
  a: [`${OFFICE}/drawingml/2006/main`, `${STRICT}/drawingml/main`],
  pic: [`${OFFICE}/drawingml/2006/picture`, `${STRICT}/drawingml/picture`],
  c: [`${OFFICE}/drawingml/2006/chart`, `${STRICT}/drawingml/chart`],
  dgm: [`${OFFICE}/drawingml/2006/diagram`, `${STRICT}/drawingml/diagram`],
  m: [`${OFFICE}/officeDocument/2006/math`, `${STRICT}/officeDocument/math`],
  mc: [`${OFFICE}/markup-compatibility/2006`],
  v: ['urn:schemas-microsoft-com:vml'],
  o: ['urn:schemas-microsoft-com:office:office'],
  w10: ['urn:schemas-microsoft-com:office:word'],
  w14: [`${WORD_2010}/wordml`],
  w15: ['http://schemas.microsoft.com/office/word/2012/wordml'],
  wp14: [`${WORD_2010}/wordprocessingDrawing`],
  wps: [`${WORD_2010}/wordprocessingShape`],
  wpg: [`${WORD_2010}/wordprocessingGroup`],
  wpc: [`${WORD_2010}/wordprocessingCanvas`],
  a14: [`${DRAWING}/2010/main`],
  asvg: [`${DRAWING}/2016/SVG/main`],
  cx: [`${DRAWING}/2014/chartex`],
  dsp: [`${DRAWING}/2008/diagram`],
  xsi: ['http://www.w3.org/2001/XMLSchema-instance'],
};
const PREFIX_OF = new Map(
  Object.entries(KNOWN).flatMap(([prefix, uris]) => uris.map((uri) => [uri, prefix] as const)),
);

/**
 * Brings the names of a part to the usual prefixes, whatever its writer chose: Word 2007 writes `ve:` for `mc:`,
 * pandoc `ns0:` for `w:`. All declarations move to the root. Says whether anything had to change; most parts stay as
 * they are.
 */
export function useKnownPrefixes(tokens: readonly Token[], part: string): boolean {
  if (!tokens.some(declaresUnusually)) return false;
  const names = createNames(part);
  const scopes = createScopes();
  const root = tokens[0];
  let rootAttributes = '';
  for (const token of tokens) {
    if (token.kind === 'text') continue;
    if (token.kind === 'close') {
      scopes.leave();
      token.name = tokens[token.match]?.name ?? token.name;
      token.raw = `</${token.name}>`;
      continue;
    }
    scopes.enter(token);
    const attributes = renamedAttributes(token, scopes, names, part);
    token.name = names.of(token.name, scopes.uriOf(prefixOf(token.name)));
    if (token === root) rootAttributes = attributes;
    token.raw = `<${token.name}${attributes}${token.kind === 'empty' ? '/>' : '>'}`;
    if (token.kind === 'empty') scopes.leave();
  }
  if (root) {
    const end = root.kind === 'empty' ? '/>' : '>';
    root.raw = `<${root.name}${names.declarations()}${rootAttributes}${end}`;
  }
  return true;
}

/** A known namespace under another prefix, or a known prefix for another namespace. */
function declaresUnusually(token: Token): boolean {
  if (token.kind === 'close' || token.kind === 'text' || !token.raw.includes('xmlns')) return false;
  return attributesOf(token).some(([name, uri]) => {
    const prefix = declaredPrefix(name);
    if (prefix === undefined) return false;
    const usual = PREFIX_OF.get(uri);
    return usual === undefined ? Object.hasOwn(KNOWN, prefix) : usual !== prefix;
  });
}

/** The prefix that an attribute declares: '' for the default namespace, undefined when it declares none. */
function declaredPrefix(attribute: string): string | undefined {
  if (attribute === 'xmlns') return '';
  return attribute.startsWith('xmlns:') ? attribute.slice('xmlns:'.length) : undefined;
}

function prefixOf(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? '' : name.slice(0, colon);
}

interface Scopes {
  enter(element: Token): void;
  leave(): void;
  /** '' where no namespace holds, undefined where the prefix is not declared. */
  uriOf(prefix: string): string | undefined;
}

/** One map with a list of what to put back: a map for each element would make deep nesting quadratic. */
function createScopes(): Scopes {
  const current = new Map<string, string | undefined>([['', '']]);
  const undo: [prefix: string, uri: string | undefined][][] = [];
  return {
    enter: (element) => {
      const replaced: [string, string | undefined][] = [];
      if (element.raw.includes('xmlns')) {
        for (const [name, uri] of attributesOf(element)) {
          const prefix = declaredPrefix(name);
          if (prefix === undefined) continue;
          replaced.push([prefix, current.get(prefix)]);
          current.set(prefix, uri);
        }
      }
      undo.push(replaced);
    },
    leave: () => {
      for (const [prefix, uri] of undo.pop() ?? []) current.set(prefix, uri);
    },
    uriOf: (prefix) => current.get(prefix),
  };
}

interface Names {
  /** The name to write for one of this namespace. */
  of(name: string, uri: string | undefined): string;
  prefix(own: string, uri: string): string;
  declarations(): string;
}

/** Gives each namespace that is used one prefix for the whole part. */
function createNames(part: string): Names {
  const given = new Map<string, string>();
  const uris = new Map<string, string>();
  let unnamed = 0;
  const choose = (own: string, uri: string): string => {
    const usual = PREFIX_OF.get(uri);
    if (usual !== undefined) return usual;
    if (own !== '' && !Object.hasOwn(KNOWN, own) && !uris.has(own)) return own;
    for (;;) {
      const numbered = `ns${unnamed++}`;
      if (!uris.has(numbered)) return numbered;
    }
  };
  const prefix = (own: string, uri: string): string => {
    const known = given.get(uri);
    if (known !== undefined) return known;
    const chosen = choose(own, uri);
    given.set(uri, chosen);
    // Where a part mixes the strict and the usual form of a namespace, the form used first holds for all of it.
    if (!uris.has(chosen)) uris.set(chosen, uri);
    return chosen;
  };
  return {
    prefix,
    of: (name, uri) => {
      const own = prefixOf(name);
      if (own === 'xml' || uri === '') return name;
      if (uri === undefined) {
        throw new TemplateError(
          'malformed_xml',
          `${part}: the prefix of "${name.slice(0, 40)}" is not declared.`,
          { part },
        );
      }
      return `${prefix(own, uri)}:${name.slice(own === '' ? 0 : own.length + 1)}`;
    },
    declarations: () =>
      [...uris].map(([name, uri]) => ` xmlns:${name}="${escapeAttribute(uri)}"`).join(''),
  };
}

/** Attributes whose value is a list of prefixes, or of names with one. */
const PREFIX_LISTS = new Set(
  (
    'mc:Ignorable mc:MustUnderstand mc:ProcessContent mc:PreserveElements ' +
    'mc:PreserveAttributes Requires xsi:type'
  ).split(' '),
);

function renamedAttributes(token: Token, scopes: Scopes, names: Names, part: string): string {
  const seen = new Set<string>();
  let written = '';
  for (const [own, quoted] of quotedAttributesOf(token)) {
    if (declaredPrefix(own) !== undefined) continue;
    // An attribute without a prefix is in no namespace: the default one does not hold for it.
    const prefix = prefixOf(own);
    const name = prefix === '' ? own : names.of(own, scopes.uriOf(prefix));
    if (seen.has(name)) {
      throw new TemplateError('malformed_xml', `${part}: an element has "${name}" twice.`, {
        part,
      });
    }
    seen.add(name);
    const value = PREFIX_LISTS.has(name) ? renamedList(quoted, scopes, names) : quoted;
    written += ` ${name}=${value}`;
  }
  return written;
}

function renamedList(quoted: string, scopes: Scopes, names: Names): string {
  const items = decode(quoted.slice(1, -1)).split(/\s+/);
  const renamed = items.map((item) => {
    const colon = item.indexOf(':');
    const own = colon === -1 ? item : item.slice(0, colon);
    const uri = own === '' ? undefined : scopes.uriOf(own);
    if (uri === undefined) return item;
    return names.prefix(own, uri) + (colon === -1 ? '' : item.slice(colon));
  });
  return `"${escapeAttribute(renamed.join(' '))}"`;
}
