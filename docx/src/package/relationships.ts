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

/** The last word of a relationship's type: the same in the transitional and the strict namespace. */
export function kindOf({ type }: Relationship): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

/** What brings in other people's files or runs something, and signatures, which a merge makes void. */
const REFUSED_KINDS = new Set(
  // Compared without case.
  (
    'attachedTemplate oleObject aFChunk subDocument frame transform vbaProject ' +
    'wordVbaData control activeXControlBinary attachedToolbars mailMergeSource ' +
    'mailMergeHeaderSource mailMergeRecipientData recipientData keyMapCustomizations ' +
    'extensibility externalLink origin'
  )
    .split(' ')
    .map((kind) => kind.toLowerCase()),
);

const REVIEW_KINDS = new Set(
  'comments commentsExtended commentsIds commentsExtensible people'.split(' '),
);

/** What the authors of a template wrote to each other. It does not go out with the documents. */
export function isOfReview(relationship: Relationship): boolean {
  return REVIEW_KINDS.has(kindOf(relationship));
}

const WEB_LINK = /^(?:https?:\/\/|mailto:|#)/i;

/** Only http, https and mailto hyperlinks may point out of the file. */
export function isAllowed(relationship: Relationship, source: string): boolean {
  const kind = kindOf(relationship).toLowerCase();
  if (REFUSED_KINDS.has(kind)) return false;
  // A chart's own workbook is read by Word alone and only when someone edits the chart.
  if (kind === 'package') return source.includes('charts/') && isInside(relationship, source);
  if (relationship.external) {
    return (
      kind === 'hyperlink' && (WEB_LINK.test(relationship.target) || hasTaggedAddress(relationship))
    );
  }
  return isInside(relationship, source);
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

function isInside(relationship: Relationship, source: string): boolean {
  if (relationship.external) return false;
  if (relationship.target.startsWith('#')) return true;
  return resolveTarget(source, relationship.target) !== undefined;
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
