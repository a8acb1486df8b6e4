import type { Compiled } from '../compile/compile.ts';
import { LINK_STYLE, LINK_STYLE_XML } from '../helpers/link.ts';
import { type PackedFile, type ZipPrefix, deflated, layOut } from '@millrace/zip';
import { contentTypesXml } from './content-types.ts';
import { type Part, serialize } from './open.ts';
import {
  RELATIONSHIPS_HEAD,
  RELATIONSHIPS_TAIL,
  type Relationship,
  hasTaggedAddress,
  relationshipXml,
  relationshipsPath,
} from './relationships.ts';

export interface StaticFiles {
  readonly prefix: ZipPrefix;
  /** Names of the parts that each merge writes again. */
  readonly dynamic: ReadonlySet<string>;
}

const LEVEL = 6; // once per template

/** The files that are the same in every merge. Those that nothing changed keep their compressed bytes. */
export function staticFiles({ file, parts, styles, numbering }: Compiled): StaticFiles {
  const compiledParts = new Map(parts.map((part) => [part.name, part]));
  const dynamic = new Set(parts.filter((part) => part.dynamic).map(({ name }) => name));
  if (parts.some(({ restartsLists }) => restartsLists)) dynamic.add(numbering.name);
  const relating = new Set(parts.filter(({ draws }) => relates(draws)).map(({ name }) => name));
  const withImages = parts.some(({ draws }) =>
    ['image', 'qr', 'html'].some((helper) => draws.has(helper)),
  );
  const links = parts.some(({ draws }) => draws.has('link') || draws.has('html'));
  const needsLinkStyle = links && !styles.ids.has(LINK_STYLE);
  const types = contentTypesXml(file.parts.values(), withImages);
  const files: PackedFile[] = [
    deflated('[Content_Types].xml', Buffer.from(types), LEVEL),
    relationships('_rels/.rels', file.rootRelationships),
  ];
  for (const part of file.parts.values()) {
    const tokens = compiledParts.get(part.name)?.tokens;
    if (!dynamic.has(part.name)) {
      if (tokens) files.push(deflated(part.name, serialize(tokens), LEVEL));
      else if (needsLinkStyle && kindOfPart(part) === 'styles') files.push(withLinkStyle(part));
      else files.push(packed(part));
    }
    if (part.relationships.length > 0 && !relating.has(part.name)) {
      files.push(relationships(relationshipsPath(part.name), part.relationships));
    }
  }
  return { prefix: layOut(files), dynamic };
}

/** Whether a part with these helpers has relationships that a merge adds to. */
export function relates(draws: ReadonlySet<string>): boolean {
  return ['image', 'qr', 'link', 'html', 'address'].some((helper) => draws.has(helper));
}

function packed({ name, entry, tokens, changed, replaced }: Part): PackedFile {
  if (replaced) return deflated(name, replaced, LEVEL);
  return changed && tokens ? deflated(name, serialize(tokens), LEVEL) : entry;
}

function kindOfPart({ type }: Part): string {
  return /wordprocessingml\.(\w+)\+xml$/.exec(type)?.[1] ?? '';
}

function withLinkStyle(part: Part): PackedFile {
  const xml = serialize(part.tokens ?? []).toString();
  const end = xml.lastIndexOf('</w:styles>');
  if (end === -1) return packed(part);
  const styled = xml.slice(0, end) + LINK_STYLE_XML + xml.slice(end);
  return deflated(part.name, Buffer.from(styled), LEVEL);
}

function relationships(path: string, list: readonly Relationship[]): PackedFile {
  const kept = list.filter((relation) => !hasTaggedAddress(relation));
  const xml = RELATIONSHIPS_HEAD + kept.map(relationshipXml).join('') + RELATIONSHIPS_TAIL;
  return deflated(path, Buffer.from(xml), LEVEL);
}
