import type { Limits } from '../limits.ts';
import { decodeXml } from '../xml/encoding.ts';
import { useKnownPrefixes } from '../xml/namespaces.ts';
import { type Token, tokenize } from '../xml/tokenizer.ts';
import { type ZipEntry, unpack } from './zip.ts';
import { type ContentTypes, typeOf } from './content-types.ts';
import type { Kind } from './kinds.ts';
import { cleanPicture } from './picture.ts';
import { type Relationship, kindOf } from './relationships.ts';
import { sanitize } from './sanitize.ts';

/** A part that is kept. XML parts have tokens; `changed` says that their bytes cannot be copied. */
export interface Part {
  readonly name: string;
  /** The type of what it was read as. */
  readonly type: string;
  readonly entry: ZipEntry;
  readonly tokens: Token[] | undefined;
  readonly changed: boolean;
  readonly relationships: readonly Relationship[];
  /** Other bytes instead of the entry's: a picture that was cleaned. */
  readonly replaced: Buffer | undefined;
}

/** The XML that may still be read of this file, its parts together. */
export interface Budget {
  bytes: number;
  tokens: number;
}

export interface Reader {
  readonly types: ContentTypes;
  readonly limits: Limits;
  readonly budget: Budget;
  /** Hears what is taken out of a picture. */
  onTaken(part: string, what: string): void;
}

/** Reads a part of XML by what it is related as, and says what was taken out of it. */
export function readXmlPart(
  entry: ZipEntry,
  kind: Kind,
  relationships: readonly Relationship[],
  reader: Reader,
): { part: Part; taken: ReadonlySet<string> } {
  const { tokens, isUtf8 } = readXml(entry, reader);
  const isMarkup = kind.reading === 'xml';
  const renamed = isMarkup && useKnownPrefixes(tokens, entry.name);
  const kinds = new Map(relationships.map((each) => [each.id, kindOf(each)]));
  const taken = isMarkup ? sanitize(tokens, kinds) : new Set<string>();
  const type = typeOfPart(entry, kind, reader);
  const changed = !isUtf8 || renamed || taken.size > 0;
  const name = entry.name;
  return {
    part: { name, type, entry, tokens, changed, relationships, replaced: undefined },
    taken,
  };
}

/** Reads a picture, a font or a chart's workbook. Undefined when a picture is none, or may not stay. */
export function readBinaryPart(entry: ZipEntry, kind: Kind, reader: Reader): Part | undefined {
  // Fonts and workbooks are inflated only to see that they are what they say: the office would inflate them too.
  const bytes = unpack(entry, reader.limits.inflatedBytes);
  const common = { name: entry.name, entry, tokens: undefined, relationships: [] };
  if (kind.reading === 'bytes') {
    const type = typeOfPart(entry, kind, reader);
    return { ...common, type, changed: false, replaced: undefined };
  }
  const picture = cleanPicture(bytes, entry.name, reader);
  if (picture === undefined) return undefined;
  const changed = picture.bytes !== bytes;
  return { ...common, type: picture.type, changed, replaced: changed ? picture.bytes : undefined };
}

/** Content types are written by us: a part that states a type which its kind may not have gets the usual one. */
function typeOfPart(entry: ZipEntry, { types }: Kind, reader: Reader): string {
  const stated = typeOf(reader.types, entry.name);
  return types.includes(stated) ? stated : (types[0] ?? stated);
}

export function readXml(
  entry: ZipEntry,
  { limits, budget }: Pick<Reader, 'limits' | 'budget'>,
): { tokens: Token[]; isUtf8: boolean } {
  const bytes = unpack(entry, budget.bytes);
  budget.bytes -= bytes.length;
  const { text, isUtf8 } = decodeXml(bytes, entry.name);
  const tokens = tokenize(text, entry.name, { ...limits, tokens: budget.tokens });
  budget.tokens -= tokens.length;
  return { tokens, isUtf8 };
}
