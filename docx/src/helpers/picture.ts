import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { sanitizeSvg } from '../package/svg.ts';
import { isWholeGif, isWholePng, wholeJpeg } from './whole-picture.ts';

/** A picture ready to be put in: checked, with its size in pixels. */
export interface Picture {
  readonly bytes: Buffer;
  readonly ending: 'png' | 'jpeg' | 'gif' | 'svg';
  readonly width: number;
  readonly height: number;
}

/** Base64, a data URI, or the text of an SVG, as bytes. Undefined when it is none of them. */
export function pictureBytes(value: string): Buffer | undefined {
  const text = value.trim();
  if (/^<(?:svg|\?xml|!--)/i.test(text)) return Buffer.from(text);
  const data = /^data:image\/[\w.+-]+(;[\w=-]+)*?(;base64)?,/i.exec(text);
  if (data) {
    const body = text.slice(data[0].length);
    if (data[0].toLowerCase().includes(';base64,')) return Buffer.from(body, 'base64');
    try {
      return Buffer.from(decodeURIComponent(body));
    } catch {
      return undefined;
    }
  }
  if (!/^[A-Za-z0-9+/_\-\s]+={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

/** Judges a picture by its first bytes, never by what it is called. */
export function readPicture(bytes: Buffer, limits: Limits): Picture {
  if (bytes.length > limits.imageBytes) throw bad(`it has more than ${limits.imageBytes} bytes`);
  const picture = readPng(bytes) ?? readGif(bytes) ?? readJpeg(bytes) ?? readSvg(bytes, limits);
  if (picture === undefined) throw bad('it is no PNG, JPEG, GIF or SVG');
  const { width, height } = picture;
  if (!(width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE)) {
    throw bad(`its size of ${width} × ${height} is not usable`);
  }
  return picture;
}

/** 20,000 × 20,000 pixels take 1.6 GB in the office that renders them; together they are bounded too. */
const MAX_SIDE = 20_000;

function bad(why: string): TemplateError {
  return new TemplateError('bad_image', `The image cannot be used: ${why}.`);
}

function readPng(bytes: Buffer): Picture | undefined {
  if (
    bytes.length < 33 ||
    bytes.readUInt32BE(0) !== 0x89504e47 ||
    bytes.readUInt32BE(4) !== 0x0d0a1a0a
  )
    return undefined;
  if (!isWholePng(bytes)) throw bad('the PNG is damaged or ends too early');
  return { bytes, ending: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): Picture | undefined {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  if (!isWholeGif(bytes)) throw bad('the GIF is damaged or ends too early');
  return { bytes, ending: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readJpeg(bytes: Buffer): Picture | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  const size = wholeJpeg(bytes);
  if (size === undefined) throw bad('the JPEG is damaged or ends too early');
  return { bytes, ending: 'jpeg', ...size };
}

function readSvg(bytes: Buffer, limits: Limits): Picture | undefined {
  const head = bytes.toString('utf8', 0, 1_000).trimStart();
  if (!/^\ufeff?<(?:svg|\?xml|!--)/i.test(head)) return undefined;
  const { bytes: clean } = sanitizeSvg(bytes, 'the SVG', limits);
  const tag = /<(?:\w+:)?svg\b[^<>]*>/i.exec(clean.toString('utf8', 0, 20_000))?.[0] ?? '';
  const box = /\sviewBox\s*=\s*["']\s*[-\d.e]+[\s,]+[-\d.e]+[\s,]+([\d.e]+)[\s,]+([\d.e]+)/i.exec(
    tag,
  );
  const [boxWidth, boxHeight] = [Number(box?.[1] ?? 300), Number(box?.[2] ?? 150)];
  const width = svgLength(tag, 'width') ?? boxWidth;
  const height = svgLength(tag, 'height') ?? (boxHeight * width) / boxWidth;
  return { bytes: clean, ending: 'svg', width, height };
}

function svgLength(tag: string, name: string): number | undefined {
  const [, number, unit = 'px'] =
    new RegExp(`\\s${name}\\s*=\\s*["']([\\d.]+)(px|pt|cm|mm|in)?["']`).exec(tag) ?? [];
  return number === undefined ? undefined : (Number(number) * (EMU[unit] ?? 9525)) / 9525;
}

/** English Metric Units, in which Word measures drawings. */
const EMU: Readonly<Record<string, number>> = {
  px: 9525,
  pt: 12700,
  mm: 36000,
  cm: 360000,
  in: 914400,
};

export function emuOf(length: unknown): number | undefined {
  if (typeof length === 'number') return length > 0 ? Math.round(length * 9525) : undefined;
  const match =
    typeof length === 'string' ? /^([\d.]+)\s*(px|pt|mm|cm|in)?$/.exec(length.trim()) : null;
  const emu = match ? Number(match[1]) * (EMU[match[2] ?? 'px'] ?? 9525) : NaN;
  return emu > 0 && emu < 1e9 ? Math.round(emu) : undefined;
}

/** The size asked for; one side alone keeps the proportions, none means its own size, within the text's width. */
export function fit(
  { width, height }: Picture,
  asked: { width: number | undefined; height: number | undefined },
  textWidth: number,
): { cx: number; cy: number } {
  const ratio = height / width;
  if (asked.width !== undefined) {
    return { cx: asked.width, cy: asked.height ?? Math.max(1, Math.round(asked.width * ratio)) };
  }
  if (asked.height !== undefined) {
    return { cx: Math.max(1, Math.round(asked.height / ratio)), cy: asked.height };
  }
  const cx = Math.min(Math.round(width * 9525), textWidth);
  return { cx, cy: Math.max(1, Math.round(cx * ratio)) };
}
