import { XMLParser, XMLValidator } from 'fast-xml-parser';

/** Text that is XML already. Everything else is escaped where it is put in. */
export interface Xml {
  readonly xml: string;
}

type Content = string | Xml | readonly Xml[];

export function element(name: string, content: Content = '', attributes = ''): Xml {
  const inside =
    typeof content === 'string'
      ? escaped(content)
      : 'xml' in content
        ? content.xml
        : content.map(({ xml }) => xml).join('');
  const head = attributes === '' ? name : `${name} ${attributes}`;
  return { xml: inside === '' ? `<${head} />` : `<${head}>${inside}</${name}>` };
}

export const NIL = 'xsi:nil="true"';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Leaves out the characters that XML 1.0 cannot hold at all, not even escaped. */
function escaped(text: string): string {
  return text
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[&<>"]/g, (letter) => ENTITIES[letter] ?? '');
}

/** An element as it was sent: a text, or its children and attributes (`@_type`) by name, prefixes taken away. */
export type Node = string | { readonly [name: string]: Node | readonly Node[] };

const parser = new XMLParser({
  ignoreAttributes: false,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true,
});

/** Null: that is no XML. */
export function parseXml(text: string): Node | null {
  if (XMLValidator.validate(text) !== true) return null;
  try {
    return parser.parse(text) as Node;
  } catch {
    return null;
  }
}

/** All children of that name, be there none, one or several. */
export function children(node: Node | undefined, name: string): readonly Node[] {
  if (node === undefined || typeof node === 'string' || !Object.hasOwn(node, name)) return [];
  const found = node[name];
  if (found === undefined) return [];
  return Array.isArray(found) ? (found as readonly Node[]) : [found as Node];
}

export function child(node: Node | undefined, ...path: readonly string[]): Node | undefined {
  let at = node;
  for (const name of path) at = children(at, name)[0];
  return at;
}

/** The text at the end of a path of names. Null: there is none. */
export function textAt(node: Node | undefined, ...path: readonly string[]): string | null {
  const found = child(node, ...path);
  if (found === undefined) return null;
  if (typeof found === 'string') return found;
  const text = found['#text'];
  return typeof text === 'string' ? text : found['@_nil'] === 'true' ? null : '';
}

/** `xsi:type`, without the prefix of its value. */
export function typeOf(node: Node | undefined): string {
  return (textAt(node, '@_type') ?? '').replace(/^.*:/, '');
}
