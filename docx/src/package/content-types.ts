import { attributesOf } from '../xml/tokens.ts';
import { escapeAttribute } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';
import { localName } from './relationships.ts';

/** Which type each part has: by its name, or else by the ending of its name. Keys are in lower case. */
export interface ContentTypes {
  readonly endings: Map<string, string>;
  readonly parts: Map<string, { name: string; type: string }>;
}

export function parseContentTypes(tokens: readonly Token[]): ContentTypes {
  const types: ContentTypes = { endings: new Map(), parts: new Map() };
  for (const token of tokens) {
    if (token.kind === 'close') continue;
    const values = new Map(attributesOf(token));
    const type = values.get('ContentType') ?? '';
    if (localName(token.name) === 'Default') {
      types.endings.set((values.get('Extension') ?? '').toLowerCase(), type);
    } else if (localName(token.name) === 'Override') {
      const name = (values.get('PartName') ?? '').replace(/^\//, '');
      types.parts.set(name.toLowerCase(), { name, type });
    }
  }
  return types;
}

export function typeOf(types: ContentTypes, part: string): string {
  const key = part.toLowerCase();
  const ending = key.slice(key.lastIndexOf('.') + 1);
  return types.parts.get(key)?.type ?? types.endings.get(ending) ?? '';
}

const IMAGE_TYPES: readonly [string, string][] = [
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['svg', 'image/svg+xml'],
];

/** The types of the parts that are kept. Macro-enabled files and Word templates become plain documents. */
export function contentTypesXml(
  types: ContentTypes,
  kept: ReadonlySet<string>,
  withImages: boolean,
): string {
  const endings = new Map(types.endings);
  if (![...kept].some((key) => key.endsWith('.bin'))) endings.delete('bin');
  for (const [ending, type] of withImages ? IMAGE_TYPES : []) endings.set(ending, type);
  endings.set('rels', 'application/vnd.openxmlformats-package.relationships+xml');
  let xml =
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">';
  for (const [ending, type] of endings) {
    xml += `<Default Extension="${escapeAttribute(ending)}" ContentType="${escapeAttribute(type)}"/>`;
  }
  for (const [key, { name, type }] of types.parts) {
    if (!kept.has(key)) continue;
    xml += `<Override PartName="/${escapeAttribute(name)}" ContentType="${escapeAttribute(plain(type))}"/>`;
  }
  return `${xml}</Types>`;
}

const DOCUMENT = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

function plain(type: string): string {
  const template = 'wordprocessingml.template.main+xml';
  return type.endsWith(template) || type.includes('macroEnabled') ? DOCUMENT : type;
}
