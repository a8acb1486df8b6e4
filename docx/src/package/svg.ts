import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { decode } from '../xml/text.ts';
import { tokenize } from '../xml/tokenizer.ts';
import { rawOf, removeAttributes, removeElement } from '../xml/tokens.ts';
import { localName } from './relationships.ts';

/** Pictures need no script, no page inside and nothing from elsewhere. LibreOffice would fetch it. */
const REFUSED = new Set(
  (
    'script foreignobject iframe embed object audio video handler animate ' +
    'animatetransform animatemotion set discard listener include'
  ).split(' '),
);
const OWN_REFERENCE = /^\s*(?:#|data:image\/(?:png|jpeg|gif);base64,)/i;

export function sanitizeSvg(bytes: Buffer, part: string, limits: Limits): Buffer {
  const tokens = tokenize(bytes.toString('utf8'), part, limits);
  if (localName(tokens[0]?.name ?? '').toLowerCase() !== 'svg') {
    throw new TemplateError('bad_image', `${part} is XML, but not an SVG picture.`, { part });
  }
  let inStyle = false;
  for (const token of tokens) {
    if (token.gone) continue;
    const name = localName(token.name).toLowerCase();
    if (token.kind === 'text') {
      if (inStyle && reachesOut(decode(token.raw))) token.raw = '';
      continue;
    }
    if (name === 'style') inStyle = token.kind === 'open';
    if (token.kind === 'close') continue;
    if (REFUSED.has(name)) removeElement(tokens, token);
    else removeAttributes(token, isRefusedAttribute);
  }
  return Buffer.from(rawOf(tokens, 0, tokens.length - 1));
}

function isRefusedAttribute(name: string, value: string): boolean {
  if (name.startsWith('xmlns')) return false;
  const local = localName(name).toLowerCase();
  if (local.startsWith('on')) return true;
  if (local === 'href' || local === 'src' || local === 'base') return !OWN_REFERENCE.test(value);
  return reachesOut(value);
}

/** `url(#gradient)` stays; everything else that a style can fetch goes. */
function reachesOut(style: string): boolean {
  return /@import|expression\s*\(|\\/i.test(style) || /url\s*\(\s*(?!["']?\s*#)/i.test(style);
}
