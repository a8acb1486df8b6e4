import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { decodeXml } from '../xml/encoding.ts';
import { decode } from '../xml/text.ts';
import { type Token, tokenize } from '../xml/tokenizer.ts';
import { rawOf, removeElement, replaceAttributes } from '../xml/tokens.ts';
import { rasterType } from './raster.ts';
import { localName } from './relationships.ts';

/** Pictures need no script, no page inside and nothing from elsewhere. LibreOffice would fetch it. */
const REFUSED = new Set(
  (
    'script foreignobject iframe embed object audio video handler animate ' +
    'animatetransform animatemotion set discard listener include'
  ).split(' '),
);

export function sanitizeSvg(bytes: Buffer, part: string, limits: Limits): Buffer {
  const tokens = tokenize(decodeXml(bytes, part).text, part, limits);
  if (localName(tokens[0]?.name ?? '').toLowerCase() !== 'svg') {
    throw new TemplateError('bad_image', `${part} is XML, but not an SVG picture.`, { part });
  }
  for (const token of tokens) {
    if (token.gone || token.kind === 'text' || token.kind === 'close') continue;
    const name = localName(token.name).toLowerCase();
    if (REFUSED.has(name) || (name === 'style' && reachesOut(textWithin(tokens, token)))) {
      removeElement(tokens, token);
    } else replaceAttributes(token, safeValue);
  }
  return Buffer.from(rawOf(tokens, 0, tokens.length - 1));
}

/** All of an element's text: a comment may stand in the middle of a word that must not be there. */
function textWithin(tokens: readonly Token[], { index, match }: Token): string {
  let text = '';
  for (const token of tokens.slice(index, match)) if (token.kind === 'text') text += token.raw;
  return decode(text);
}

/** What stays of an attribute's value; undefined takes the attribute out. */
function safeValue(name: string, value: string): string | undefined {
  if (name.startsWith('xmlns')) return value;
  const local = localName(name).toLowerCase();
  if (local.startsWith('on')) return undefined;
  if (local === 'href' || local === 'src' || local === 'base') return safeReference(value);
  return reachesOut(value) ? undefined : value;
}

/**
 * A place in the same picture, or a picture of dots in base64. Its bytes are looked at and written again: an SVG would
 * be read as one, whatever the address calls it.
 */
function safeReference(value: string): string | undefined {
  const text = value.trim();
  if (text.startsWith('#')) return text;
  const body = /^data:image\/[\w.+-]+;base64,/i.exec(text)?.[0];
  if (body === undefined) return undefined;
  const bytes = Buffer.from(text.slice(body.length), 'base64');
  const type = rasterType(bytes);
  return type === undefined ? undefined : `data:${type};base64,${bytes.toString('base64')}`;
}

/** `url(#gradient)` stays; everything else that a style can fetch goes. */
function reachesOut(style: string): boolean {
  return /@import|expression\s*\(|\\/i.test(style) || /url\s*\((?!\s*(?:["']\s*)?#)/i.test(style);
}
