import { attributesOf } from '../xml/tokens.ts';
import { escapeAttribute } from '../xml/text.ts';
import type { Token } from '../xml/tokenizer.ts';

export interface Relationship {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly external: boolean;
}

export function parseRelationships(tokens: readonly Token[]): Relationship[] {
  const found: Relationship[] = [];
  for (const token of tokens) {
    if (token.kind === 'close' || localName(token.name) !== 'Relationship') continue;
    const values = new Map(attributesOf(token));
    found.push({
      id: values.get('Id') ?? '',
      type: values.get('Type') ?? '',
      target: (values.get('Target') ?? '').trim(),
      external: (values.get('TargetMode') ?? '').toLowerCase() === 'external',
    });
  }
  return found;
}

export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Word's own types, those of the package, and the ISO strict form's; `officedocument` stands in early files. */
const TYPE_FAMILIES = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/',
  'http://schemas.openxmlformats.org/package/2006/relationships/metadata/',
  'http://schemas.openxmlformats.org/officedocument/2006/relationships/metadata/',
  'http://purl.oclc.org/ooxml/officeDocument/relationships/',
];
const ADDITION = /^http:\/\/schemas\.microsoft\.com\/office\/20\d\d(?:\/\d\d)?\/relationships\//;

/** The last word of a relationship's type, the same in each form of the format; '' when the type is not known. */
export function kindOf({ type }: Relationship): string {
  const family =
    TYPE_FAMILIES.find((start) => type.startsWith(start)) ?? ADDITION.exec(type)?.[0] ?? type;
  const kind = type.slice(family.length);
  return kind.includes('/') ? '' : kind;
}

/** The addresses that the data may give too (helpers/link.ts). */
export const WEB_LINK = /^(?:https?:\/\/|mailto:|tel:|#)/i;

/**
 * Only links to the web, to mail and to telephones may point out of the file; within it they name a bookmark. An address with a tag
 * is filled and checked by each merge.
 */
export function isSafeLink(relationship: Relationship): boolean {
  const { target, external } = relationship;
  if (!external) return target.startsWith('#');
  return WEB_LINK.test(target) || hasTaggedAddress(relationship);
}

/** Word writes the braces of an address as %7B and %7D. */
const TAG_IN_ADDRESS = /\{\{|%7B%7B/i;

/** A link whose address each merge fills and checks; the template's own is never written. */
export function hasTaggedAddress(relationship: Relationship): boolean {
  return (
    relationship.external &&
    kindOf(relationship).toLowerCase() === 'hyperlink' &&
    TAG_IN_ADDRESS.test(relationship.target)
  );
}

/** The name of the part that a target means; undefined when it leads out of the package. */
export function resolveTarget(source: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|\\/i.test(target)) return undefined;
  const path = target.split('#', 1)[0] ?? '';
  const segments = path.startsWith('/') ? [] : source.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '' && segment !== '.') {
      segments.push(segment);
    }
  }
  return segments.join('/');
}

/** `word/document.xml` has its relationships in `word/_rels/document.xml.rels`. */
export function relationshipsPath(part: string): string {
  const slash = part.lastIndexOf('/') + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

export const RELATIONSHIPS_HEAD =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">';
export const RELATIONSHIPS_TAIL = '</Relationships>';

export function relationshipXml({ id, type, target, external }: Relationship): string {
  return (
    `<Relationship Id="${escapeAttribute(id)}" Type="${escapeAttribute(type)}"` +
    ` Target="${escapeAttribute(target)}"${external ? ' TargetMode="External"' : ''}/>`
  );
}
