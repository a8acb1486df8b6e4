import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Token } from '../xml/tokenizer.ts';
import { rawOf } from '../xml/tokens.ts';
import { type ZipEntry, readZip, unpack } from './zip.ts';
import { parseContentTypes, typeOf } from './content-types.ts';
import { type Kind, isLeftOutSilently, partKind } from './kinds.ts';
import { type Part, type Reader, readBinaryPart, readXml, readXmlPart } from './part.ts';
import {
  type Relationship,
  isSafeLink,
  kindOf,
  parseRelationships,
  relationshipsPath,
  resolveTarget,
} from './relationships.ts';
import { refuseOtherDocuments, refuseOtherFormats, refuseOtherPackages } from './sniff.ts';

export type { Part } from './part.ts';

export interface Package {
  readonly main: Part;
  /** By name in lower case: part names are compared without case. */
  readonly parts: ReadonlyMap<string, Part>;
  readonly rootRelationships: readonly Relationship[];
  /** What was taken out, and from which part. */
  readonly stripped: readonly Stripped[];
}

interface Stripped {
  readonly part: string;
  readonly what: string;
}

/** Opens a DOCX and keeps only what can be reached from its root and is safe to keep. */
export function openPackage(input: Uint8Array, limits: Limits): Package {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  refuseOtherFormats(bytes);
  const entries = new Map(readZip(bytes, limits).map((entry) => [entry.name.toLowerCase(), entry]));
  const typesEntry = entries.get('[content_types].xml');
  const mimetype = entries.get('mimetype');
  if (typesEntry === undefined) {
    if (mimetype) refuseOtherPackages(unpack(mimetype, 1_000).toString('latin1'));
    throw new TemplateError('not_a_docx', 'The file is a zip, but not a .docx.');
  }
  const budget = { bytes: limits.xmlBytes, tokens: limits.tokens };
  const types = parseContentTypes(readXml(typesEntry, { limits, budget }).tokens);
  const opening: Opening = {
    entries,
    types,
    limits,
    budget,
    parts: new Map(),
    kinds: new Map(),
    waiting: [],
    stripped: [],
    onTaken: (part, what) => void opening.stripped.push({ part, what }),
  };
  const rootRelationships = keepRelationships('', opening);
  const relation = rootRelationships.find((each) => kindOf(each) === 'officeDocument');
  const mainName = (relation && resolveTarget('', relation.target))?.toLowerCase();
  if (mainName === undefined) {
    throw new TemplateError('not_a_docx', 'The file has no main document.');
  }
  refuseOtherDocuments(typeOf(types, mainName));
  // What waits grows only by entries of the zip, each once.
  for (let next = opening.waiting.pop(); next; next = opening.waiting.pop()) {
    const relationships = keepRelationships(next.entry.name, opening);
    const { part, taken } = readXmlPart(next.entry, next.kind, relationships, opening);
    opening.parts.set(part.name.toLowerCase(), part);
    for (const what of taken) opening.stripped.push({ part: part.name, what });
  }
  const main = opening.parts.get(mainName);
  if (main?.tokens?.[0]?.name !== 'w:document') {
    throw new TemplateError('not_a_docx', 'The main document is not a text of Word.');
  }
  return { main, parts: opening.parts, rootRelationships, stripped: opening.stripped };
}

interface Opening extends Reader {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly parts: Map<string, Part>;
  /** What each part is related as: the first relationship decides, and another kind is refused. */
  readonly kinds: Map<string, Kind | undefined>;
  /** XML parts that are related and not yet read. */
  readonly waiting: { entry: ZipEntry; kind: Kind }[];
  readonly stripped: Stripped[];
}

/** The relationships of a part that may stay. Ids are unique among them. */
function keepRelationships(source: string, opening: Opening): Relationship[] {
  const path = source === '' ? '_rels/.rels' : relationshipsPath(source);
  const entry = opening.entries.get(path.toLowerCase());
  const kept = new Map<string, Relationship>();
  if (entry === undefined) return [];
  for (const relation of parseRelationships(readXml(entry, opening).tokens)) {
    const kind = kindOf(relation);
    if (isLeftOutSilently(kind)) continue;
    // The root leads to one part of each kind: readers could pick different ones of two main documents.
    const isSecond =
      kept.has(relation.id) ||
      (source === '' && [...kept.values()].some((other) => kindOf(other) === kind));
    if (!isSecond && keeps(relation, source, opening)) kept.set(relation.id, relation);
    else {
      const called = relation.type.slice(relation.type.lastIndexOf('/') + 1);
      const what = `the ${called.slice(0, 40)} "${relation.target.slice(0, 80)}"`;
      opening.stripped.push({ part: source, what });
    }
  }
  return [...kept.values()];
}

/** Whether a relationship leads to something that may stay; a part that it leads to is read or waits to be. */
function keeps(relation: Relationship, source: string, opening: Opening): boolean {
  const name = kindOf(relation);
  if (name === 'hyperlink') return isSafeLink(relation);
  const kind = relation.external ? undefined : partKind(name, source);
  const key = resolveTarget(source, relation.target)?.toLowerCase();
  const entry = key === undefined ? undefined : opening.entries.get(key);
  if (kind === undefined || key === undefined || entry === undefined || !isPartName(key)) {
    return false;
  }
  if (opening.kinds.has(key)) return opening.kinds.get(key) === kind;
  if (kind.reading === 'xml' || kind.reading === 'data') {
    opening.kinds.set(key, kind);
    opening.waiting.push({ entry, kind });
    return true;
  }
  const part = readBinaryPart(entry, kind, opening);
  opening.kinds.set(key, part && kind);
  if (part) opening.parts.set(key, part);
  return part !== undefined;
}

/** `META-INF` and `mimetype` make an office take the file for an ODT, whatever else it holds. */
function isPartName(key: string): boolean {
  return !/^meta-inf\/|^mimetype$|^\[content_types\]\.xml$|(?:^|\/)_rels\//.test(key);
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function serialize(tokens: readonly Token[]): Buffer {
  return Buffer.from(XML_HEAD + rawOf(tokens, 0, tokens.length - 1));
}
