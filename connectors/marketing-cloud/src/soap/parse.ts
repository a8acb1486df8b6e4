import { XMLParser, XMLValidator } from 'fast-xml-parser';

/**
 * An element of an answer: its text, or its children by name. Every child is in a list, however many there are; names have no
 * prefix; no text is taken for a number, so that `5e10` and `007` stay what they are.
 */
export type Xml = string | { readonly [name: string]: readonly Xml[] };

/** Envelope/Body/RetrieveResponseMsg/Results/Properties/Property/Name are seven. */
const DEEPEST = 64;
/** A page of 2,500 objects has about a million characters and is read in a quarter of a second, in which nothing else runs. */
const LONGEST = 16 * 1024 * 1024;

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // Also the references by number, such as &#13;
  htmlEntities: true,
  isArray: () => true,
  jPath: false,
  maxNestedTags: DEEPEST,
});

/** Null for what is not whole XML, or what nobody sends in good faith: a document type, which SOAP forbids, too much depth or length. */
export function parseXml(text: string): Xml | null {
  // Entities of its own are all that a document type could bring, and a few of them can grow to gigabytes.
  if (text.length > LONGEST || /<!D/i.test(text) || XMLValidator.validate(text) !== true)
    return null;
  try {
    return parser.parse(text) as Xml;
  } catch {
    return null;
  }
}

export function childrenOf(xml: Xml | undefined, name: string): readonly Xml[] {
  if (xml === undefined || typeof xml === 'string' || !Object.hasOwn(xml, name)) return [];
  return xml[name] ?? [];
}

/** The first at the end of a path. */
export function childOf(xml: Xml | undefined, ...path: readonly string[]): Xml | undefined {
  let found = xml;
  for (const name of path) found = childrenOf(found, name)[0];
  return found;
}

/** The text of the first at the end of a path; null where there is none, or an empty one. */
export function textOf(xml: Xml | undefined, ...path: readonly string[]): string | null {
  const found = childOf(xml, ...path);
  return typeof found === 'string' && found !== '' ? found : null;
}
