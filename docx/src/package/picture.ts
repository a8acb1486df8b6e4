import { gunzipSync } from 'node:zlib';
import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { cleanEmf, cleanWmf } from './metafile.ts';
import { rasterType } from './raster.ts';
import { TOO_MUCH_DRAWN, sanitizeSvg } from './svg.ts';

/** A picture by its bytes, which decide for every office, and not by its name or its stated type. */
export interface CheckedPicture {
  readonly type: string;
  /** The very bytes that were given, unless something had to be taken out of them. */
  readonly bytes: Buffer;
}

export interface PictureReader {
  readonly limits: Limits;
  /** The XML that may still be read, the file's SVG pictures included. */
  readonly budget: { bytes: number };
  /** Hears what is taken out of an SVG, or why it may not stay. */
  onTaken(part: string, what: string): void;
}

/**
 * The part of a picture that may stay in a template: dots as they are; drawings without what can bring in other files. An SVG
 * may name files of the machine that renders it, a metafile may hold an SVG. Undefined when it is none of these.
 */
export function cleanPicture(
  given: Buffer,
  part: string,
  reader: PictureReader,
): CheckedPicture | undefined {
  const { limits, budget } = reader;
  const bytes = isPacked(given) ? unpacked(given, budget) : given;
  if (bytes === undefined || isPacked(bytes)) return undefined;
  const type = rasterType(bytes);
  if (type !== undefined) return { type, bytes };
  const emf = cleanEmf(bytes);
  if (emf) return { type: 'image/x-emf', bytes: emf };
  const wmf = cleanWmf(bytes);
  if (wmf) return { type: 'image/x-wmf', bytes: wmf };
  if (!spend(budget, bytes.length)) return undefined;
  try {
    const { bytes: clean, taken } = sanitizeSvg(bytes, part, limits);
    for (const what of taken) reader.onTaken(part, what);
    return { type: 'image/svg+xml', bytes: clean };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    if (error.code === 'too_complex') reader.onTaken(part, TOO_MUCH_DRAWN);
    return undefined;
  }
}

function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes.length > 18;
}

/** Word packs metafiles as .emz and .wmz; the office would unpack an SVG the same way. Its last bytes state its size. */
function unpacked(bytes: Buffer, budget: { bytes: number }): Buffer | undefined {
  const size = bytes.readUInt32LE(bytes.length - 4);
  if (size === 0 || !spend(budget, size)) return undefined;
  try {
    return gunzipSync(bytes, { maxOutputLength: size });
  } catch {
    return undefined;
  }
}

function spend(budget: { bytes: number }, size: number): boolean {
  if (size > budget.bytes) return false;
  budget.bytes -= size;
  return true;
}
