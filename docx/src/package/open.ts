import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { decodeXml } from '../xml/encoding.ts';
import { useKnownPrefixes } from '../xml/namespaces.ts';
import { type Token, tokenize } from '../xml/tokenizer.ts';
import { rawOf } from '../xml/tokens.ts';
import { type ZipEntry, readZip, unpack } from '../zip/reader.ts';
import { type ContentTypes, parseContentTypes, typeOf } from './content-types.ts';
import {
  type Relationship,
  isAllowed,
  isOfReview,
  kindOf,
  parseRelationships,
  relationshipsPath,
  resolveTarget,
} from './relationships.ts';
import { sanitize } from './sanitize.ts';
import { refuseOtherDocuments, refuseOtherFormats, refuseOtherPackages } from './sniff.ts';
import { sanitizeSvg } from './svg.ts';

/** A part that is kept. XML parts have tokens; `changed` says that their bytes cannot be copied. */
export interface Part {
  readonly name: string;
  readonly type: string;
  readonly entry: ZipEntry;
  readonly tokens: Token[] | undefined;
  readonly changed: boolean;
  readonly relationships: readonly Relationship[];
  readonly relationshipsChanged: boolean;
  /** Other bytes instead of the entry's: an SVG that was cleaned. */
  readonly replaced: Buffer | undefined;
}

export interface Package {
  readonly main: Part;
  /** By name in lower case: part names are compared without case. */
  readonly parts: ReadonlyMap<string, Part>;
  readonly types: ContentTypes;
  readonly rootRelationships: readonly Relationship[];
  /** What was taken out, and from which part. */
  readonly stripped: readonly { part: string; what: string }[];
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
  const budget: Budget = { left: limits.xmlBytes };
  const types = parseContentTypes(readXml(typesEntry, limits, budget));
  const stripped: { part: string; what: string }[] = [];
  const root = readRelationships('', entries, limits, budget, stripped);
  const mainRelation = root.kept.find((relation) => kindOf(relation) === 'officeDocument');
  const mainName = mainRelation && resolveTarget('', mainRelation.target);
  if (mainName === undefined || !entries.has(mainName.toLowerCase())) {
    throw new TemplateError('not_a_docx', 'The file has no main document.');
  }
  refuseOtherDocuments(typeOf(types, mainName));

  const parts = new Map<string, Part>();
  const queue = root.kept.map((relation) => resolveTarget('', relation.target));
  // Parts grow only by entries of the zip, so this ends.
  for (let name = queue.pop(); name !== undefined || queue.length > 0; name = queue.pop()) {
    const key = name?.toLowerCase() ?? '';
    const entry = entries.get(key);
    if (entry === undefined || parts.has(key)) continue;
    const relations = readRelationships(entry.name, entries, limits, budget, stripped);
    parts.set(key, readPart(entry, typeOf(types, entry.name), relations, limits, budget, stripped));
    for (const relation of relations.kept) {
      if (!relation.external) queue.push(resolveTarget(entry.name, relation.target));
    }
  }
  const main = parts.get(mainName.toLowerCase());
  if (main?.tokens === undefined) {
    throw new TemplateError('not_a_docx', 'The main document is not XML.');
  }
  if (main.tokens[0]?.name !== 'w:document') {
    throw new TemplateError('not_a_docx', 'The main document is not a text of Word.');
  }
  return { main, parts, types, rootRelationships: root.kept, stripped };
}

interface Relations {
  readonly kept: readonly Relationship[];
  readonly cut: ReadonlySet<string>;
}

function readRelationships(
  source: string,
  entries: ReadonlyMap<string, ZipEntry>,
  limits: Limits,
  budget: Budget,
  stripped: { part: string; what: string }[],
): Relations {
  const path = source === '' ? '_rels/.rels' : relationshipsPath(source);
  const entry = entries.get(path.toLowerCase());
  if (entry === undefined) return { kept: [], cut: new Set() };
  const kept: Relationship[] = [];
  const cut = new Set<string>();
  for (const relation of parseRelationships(readXml(entry, limits, budget))) {
    if (isOfReview(relation)) continue;
    if (isAllowed(relation, source)) kept.push(relation);
    else {
      cut.add(relation.id);
      stripped.push({
        part: source,
        what: `the ${kindOf(relation)} "${relation.target.slice(0, 80)}"`,
      });
    }
  }
  return { kept, cut };
}

function readPart(
  entry: ZipEntry,
  type: string,
  { kept, cut }: Relations,
  limits: Limits,
  budget: Budget,
  stripped: { part: string; what: string }[],
): Part {
  const common = { name: entry.name, type, entry, relationships: kept };
  const relationshipsChanged = cut.size > 0;
  if (type === 'image/svg+xml' || /\.svg$/i.test(entry.name)) {
    const replaced = sanitizeSvg(unpack(entry, budget.left), entry.name, limits);
    return { ...common, tokens: undefined, changed: true, relationshipsChanged, replaced };
  }
  if (!/[+/]xml$/.test(type) && !/\.xml$/i.test(entry.name)) {
    // Inflated once only to see that it is what it says: the office would inflate it too.
    unpack(entry, limits.inflatedBytes);
    const replaced = undefined;
    return { ...common, tokens: undefined, changed: false, relationshipsChanged, replaced };
  }
  const bytes = unpackXml(entry, budget);
  const { text, isUtf8 } = decodeXml(bytes, entry.name);
  const tokens = tokenize(text, entry.name, limits);
  const renamed = useKnownPrefixes(tokens, entry.name);
  const taken = sanitize(tokens, cut);
  for (const what of taken) stripped.push({ part: entry.name, what });
  const changed = !isUtf8 || renamed || taken.size > 0;
  return { ...common, tokens, changed, relationshipsChanged, replaced: undefined };
}

/** What XML may still be read of this file. */
interface Budget {
  left: number;
}

function readXml(entry: ZipEntry, limits: Limits, budget: Budget): Token[] {
  return tokenize(decodeXml(unpackXml(entry, budget), entry.name).text, entry.name, limits);
}

function unpackXml(entry: ZipEntry, budget: Budget): Buffer {
  const bytes = unpack(entry, budget.left);
  budget.left -= bytes.length;
  return bytes;
}

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export function serialize(tokens: readonly Token[]): Buffer {
  return Buffer.from(XML_HEAD + rawOf(tokens, 0, tokens.length - 1));
}
