import { gunzipSync } from 'node:zlib';
import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { cleanEmf, cleanWmf } from './metafile.ts';
import { rasterType } from './raster.ts';
import { sanitizeSvg } from './svg.ts';

/** A picture by its bytes, which decide for every office, and not by its name or its stated type. */
export interface CheckedPicture {
  readonly type: string;
  /** The very bytes that were given, unless something had to be taken out of them. */
  readonly bytes: Buffer;
}

/**
 * What may stay of a picture in a template: dots as they are; drawings without what can bring in other files. An SVG
 * may name files of the machine that renders it, a metafile may hold an SVG. Undefined when it is none of these.
 */
export function cleanPicture(
  bytes: Buffer,
  part: string,
  limits: Limits,
): CheckedPicture | undefined {
  const type = rasterType(bytes);
  if (type !== undefined) return { type, bytes };
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return cleanPacked(bytes, part, limits);
  const emf = cleanEmf(bytes);
  if (emf) return { type: 'image/x-emf', bytes: emf };
  const wmf = cleanWmf(bytes);
  if (wmf) return { type: 'image/x-wmf', bytes: wmf };
  try {
    return { type: 'image/svg+xml', bytes: sanitizeSvg(bytes, part, limits) };
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** Word packs metafiles as .emz and .wmz; the office would unpack an SVG the same way. Packed once, not twice. */
function cleanPacked(bytes: Buffer, part: string, limits: Limits): CheckedPicture | undefined {
  try {
    const inner = gunzipSync(bytes, { maxOutputLength: limits.imageBytes });
    return inner[0] === 0x1f ? undefined : cleanPicture(inner, part, limits);
  } catch {
    return undefined;
  }
}
