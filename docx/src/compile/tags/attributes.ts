import { type Relationship, hasTaggedAddress } from '../../package/relationships.ts';
import type { Token } from '../../xml/tokenizer.ts';
import { attribute } from '../../xml/tokens.ts';
import type { CleanPart } from '../clean/clean.ts';
import { type Segment, type Tag, segmentsOf } from './scan.ts';

/** The attributes of an element that hold tags. */
export interface ElementTexts {
  readonly texts: ReadonlyMap<string, readonly Segment[]>;
  /** The address behind the element's relationship, when tags are in it. */
  readonly address: readonly Segment[] | undefined;
}

export type AttributeTexts = ReadonlyMap<Token, ElementTexts>;

/** Attributes that a reader sees or hears: */
const READ: Readonly<Record<string, readonly string[]>> = {
  'wp:docPr': ['descr', 'title'],
  'pic:cNvPr': ['descr', 'title'],
  'wps:cNvPr': ['descr', 'title'],
  'w:hyperlink': ['w:tooltip'],
  'v:shape': ['alt', 'title'],
  'v:rect': ['alt', 'title'],
  'v:imagedata': ['o:title'],
  'v:textpath': ['string'],
};

export function findAttributeTags(
  { tokens }: CleanPart,
  relationships: readonly Relationship[],
  scan: (element: Token, text: string) => readonly Tag[],
): AttributeTexts {
  const found = new Map<Token, ElementTexts>();
  const addresses = new Map(
    relationships.filter(hasTaggedAddress).map(({ id, target }) => [id, addressOf(target)]),
  );
  for (const token of tokens) {
    if (token.kind === 'close' || token.kind === 'text') continue;
    if (addresses.size === 0 && !token.raw.includes('{{')) continue;
    const texts = new Map<string, readonly Segment[]>();
    if (token.raw.includes('{{')) {
      for (const name of READ[token.name] ?? []) {
        const text = attribute(token, name);
        if (text?.includes('{{')) texts.set(name, segmentsOf(text, scan(token, text)));
      }
    }
    const id = addresses.size > 0 ? attribute(token, 'r:id') : undefined;
    const target = id === undefined ? undefined : addresses.get(id);
    const address = target === undefined ? undefined : segmentsOf(target, scan(token, target));
    if (texts.size > 0 || address) found.set(token, { texts, address });
  }
  return found;
}

/** From the last opening braces before the closing ones: unclosed braces are not searched to the end each time. */
const TYPED_TAG = /(?:\{\{|%7B%7B)(?:(?!\{\{|\}\}|%7B%7B|%7D%7D)[^])*(?:\}\}|%7D%7D)/gi;

/** The address as its author typed it. */
function addressOf(target: string): string {
  return target.replace(TYPED_TAG, (tag) => {
    try {
      return decodeURIComponent(tag);
    } catch {
      return tag;
    }
  });
}
