import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Token } from '../xml/tokenizer.ts';
import { rawOf } from '../xml/tokens.ts';
import { type ZipEntry, readZip, unpack } from './zip.ts';
import { parseContentTypes, typeOf } from './content-types.ts';
import { isLeftOutSilently, type Kind, partKind } from './kinds.ts';
import { type Part, readBinaryPart, type Reader, readXml, readXmlPart } from './part.ts';
import {
  isSafeLink,
  kindOf,
  parseRelationships,
  type Relationship,
  relationshipsPath,
  resolveTarget,
} from './relationships.ts';

export type { Part } from './part.ts';

export interface Package {
  readonly main: Part;
  /** By name in lower case: part names are compared without case. */
  readonly parts: ReadonlyMap<string, Part>;
  readonly rootRelationships: readonly Relationship[];
  /** The names of what was removed, and from which part. */
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
  // The list of waiting parts grows only by entries of the zip, each once.
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
  /** The relationship of each part: the first one decides, and another kind is refused. */
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

const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

/** Judges the bytes, never the name. What is no zip is named, so that its owner knows what to do. */
function refuseOtherFormats(bytes: Buffer): void {
  if (bytes.length === 0) throw no('not_a_docx', 'The file is empty.');
  if (bytes.subarray(0, 8).equals(OLE)) {
    throw bytes.includes(ENCRYPTED_STREAM)
      ? no('encrypted', 'The file is encrypted. Save it without a password.')
      : no('legacy_doc', 'The file is in the old .doc format. Save it as .docx.');
  }
  const head = bytes.toString('latin1', 0, 200).trimStart();
  if (head.startsWith('{\\rtf')) throw no('not_a_docx', 'The file is RTF. Save it as .docx.');
  if (head.startsWith('%PDF')) throw no('not_a_docx', 'The file is a PDF. A template is a .docx.');
  if (/^<(?:!doctype|html|\?xml)/i.test(head)) {
    throw no('not_a_docx', 'The file is HTML or bare XML. A template is a .docx.');
  }
  if (!head.startsWith('PK\u0003\u0004')) throw no('not_a_docx', 'The file is not a .docx.');
}

/** The media type that an OpenDocument or EPUB file states in its first entry. */
function refuseOtherPackages(mimetype: string): void {
  if (mimetype.startsWith('application/vnd.oasis.opendocument')) {
    throw no('open_document', 'The file is in an OpenDocument format (.odt). Save it as .docx.');
  }
  throw no('not_a_docx', `The file is of type "${mimetype.slice(0, 80)}", not a .docx.`);
}

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const WITH_MACROS = 'application/vnd.ms-word';
const DOCUMENTS = new Set([
  `${WORD}.document.main+xml`,
  `${WORD}.template.main+xml`,
  `${WITH_MACROS}.document.macroEnabled.main+xml`,
  `${WITH_MACROS}.template.macroEnabledTemplate.main+xml`,
]);

/** The kind that the package states: .docx, .dotx, .docm or .dotm, and nothing that only looks like one. */
function refuseOtherDocuments(contentType: string): void {
  if (DOCUMENTS.has(contentType)) return;
  const what = contentType.includes('spreadsheetml')
    ? 'a spreadsheet'
    : contentType.includes('presentationml')
      ? 'a presentation'
      : 'no text document';
  throw no('not_a_docx', `The file is ${what}. A template is a .docx.`);
}

function no(
  code: 'not_a_docx' | 'encrypted' | 'legacy_doc' | 'open_document',
  message: string,
): TemplateError {
  return new TemplateError(code, message);
}
