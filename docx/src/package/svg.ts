import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { decodeXml } from '../xml/encoding.ts';
import { decode } from '../xml/text.ts';
import { type Token, tokenize } from '../xml/tokenizer.ts';
import { rawOf, removeElement, replaceAttributes } from '../xml/tokens.ts';
import { rasterType } from './raster.ts';
import { localName } from './relationships.ts';
import { MOST_DRAWN, drawnElements } from './svg-drawn.ts';

/** Pictures need no script, no page inside and nothing from elsewhere. LibreOffice would fetch it. */
const REFUSED = new Set(
  (
    'script foreignobject iframe embed object audio video handler animate ' +
    'animatetransform animatemotion set discard listener include'
  ).split(' '),
);

export const TOO_MUCH_DRAWN = `an SVG picture whose own references (use, mask, pattern, marker and the like) draw more than ${MOST_DRAWN} elements or lead in a circle`;

export interface CleanSvg {
  readonly bytes: Buffer;
  /** The names of what was removed, once each, for the author. */
  readonly taken: ReadonlySet<string>;
}

export function sanitizeSvg(bytes: Buffer, part: string, limits: Limits): CleanSvg {
  const tokens = tokenize(decodeXml(bytes, part).text, part, limits);
  if (localName(tokens[0]?.name ?? '').toLowerCase() !== 'svg') {
    throw new TemplateError('bad_image', `${part} is XML, but not an SVG picture.`, { part });
  }
  const taken = new Set<string>();
  const styles: string[] = [];
  for (const token of tokens) {
    if (token.gone || token.kind === 'text' || token.kind === 'close') continue;
    const name = localName(token.name).toLowerCase();
    const style = name === 'style' ? textWithin(tokens, token) : '';
    if (REFUSED.has(name) || reachesOut(style)) {
      removeElement(tokens, token);
      taken.add(`<${name}> in an SVG picture`);
    } else {
      if (style !== '') styles.push(style);
      replaceAttributes(token, (attribute, value) => {
        const safe = safeValue(attribute, value);
        if (safe === undefined) taken.add(`${cut(attribute)} of <${cut(name)}> in an SVG picture`);
        return safe;
      });
    }
  }
  if (drawnElements(tokens, styles) > MOST_DRAWN) {
    const message = `The image cannot be used: it is ${TOO_MUCH_DRAWN}.`;
    throw new TemplateError('too_complex', message, { part });
  }
  return { bytes: Buffer.from(rawOf(tokens, 0, tokens.length - 1)), taken };
}

function cut(name: string): string {
  return name.slice(0, 40);
}

/** All of an element's text: a comment may stand in the middle of a word that must not be there. */
function textWithin(tokens: readonly Token[], { index, match }: Token): string {
  let text = '';
  for (const token of tokens.slice(index, match)) if (token.kind === 'text') text += token.raw;
  return decode(text);
}

/** The part of an attribute's value that stays; undefined removes the attribute. */
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
