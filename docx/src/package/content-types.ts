import { attributesOf } from '../xml/tokens.ts';
import { escapeAttribute } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { localName } from './relationships.ts';

/** The type that the file states for each part: by its name, or else by the ending of its name, in lower case. */
export interface ContentTypes {
  readonly endings: ReadonlyMap<string, string>;
  readonly parts: ReadonlyMap<string, string>;
}

export function parseContentTypes(tokens: readonly Token[]): ContentTypes {
  const endings = new Map<string, string>();
  const parts = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'close') continue;
    const values = new Map(attributesOf(token));
    const type = values.get('ContentType') ?? '';
    if (localName(token.name) === 'Default') {
      endings.set((values.get('Extension') ?? '').toLowerCase(), type);
    } else if (localName(token.name) === 'Override') {
      const name = (values.get('PartName') ?? '').replace(/^\//, '');
      parts.set(name.toLowerCase(), type);
    }
  }
  return { endings, parts };
}

export function typeOf(types: ContentTypes, part: string): string {
  const key = part.toLowerCase();
  const ending = key.slice(key.lastIndexOf('.') + 1);
  return types.parts.get(key) ?? types.endings.get(ending) ?? '';
}

const IMAGE_TYPES: readonly [string, string][] = [
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['svg', 'image/svg+xml'],
];

/** Each part with the type of what it was read as; what the file itself stated is not repeated. */
export function contentTypesXml(
  parts: Iterable<{ readonly name: string; readonly type: string }>,
  withImages: boolean,
): string {
  const endings: readonly [string, string][] = [
    ['rels', 'application/vnd.openxmlformats-package.relationships+xml'],
    ['xml', 'application/xml'],
    ...(withImages ? IMAGE_TYPES : []),
  ];
  let xml =
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">';
  for (const [ending, type] of endings) {
    xml += `<Default Extension="${ending}" ContentType="${type}"/>`;
  }
  for (const { name, type } of parts) {
    xml += `<Override PartName="/${escapeAttribute(name)}" ContentType="${escapeAttribute(type)}"/>`;
  }
  return `${xml}</Types>`;
}
