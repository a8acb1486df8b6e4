import { XMLParser, XMLValidator } from 'fast-xml-parser';

/**
 * An element of an answer: its text, or its children by name. Every child is in a list, however many there are; names have no
 * prefix; no text is taken for a number, so that an ETag such as `5e10` or a key such as `007` stays what it is.
 */
export type Xml = string | { readonly [name: string]: readonly Xml[] };

/** ListPartsResult/Part/Owner/ID are four. */
const DEEPEST = 16;

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // Also the references by number, such as &#34; around an ETag.
  htmlEntities: true,
  isArray: () => true,
  jPath: false,
  maxNestedTags: DEEPEST,
});

/**
 * The root of an answer with its name; null for what is not whole XML, or what no storage sends in good faith: a document type
 * (whose entities can grow to gigabytes, or name files), too much depth.
 */
export function parseXml(text: string): { readonly name: string; readonly root: Xml } | null {
  // Complete sends white space to keep the line open, so the declaration may not be first.
  const xml = text.trim();
  if (/<!D/i.test(xml) || XMLValidator.validate(xml) !== true) return null;
  try {
    const parsed = parser.parse(xml) as Readonly<Record<string, readonly Xml[]>>;
    const [first] = Object.entries(parsed);
    return first === undefined ? null : { name: first[0], root: first[1][0] ?? '' };
  } catch {
    return null;
  }
}

export function childrenOf(xml: Xml, name: string): readonly Xml[] {
  if (typeof xml === 'string' || !Object.hasOwn(xml, name)) return [];
  return xml[name] ?? [];
}

/** The text of the first of this name; empty where there is none. */
export function textOf(xml: Xml, name: string): string {
  const [found] = childrenOf(xml, name);
  return typeof found === 'string' ? found : '';
}
