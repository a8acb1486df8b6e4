import { type ByteRange, rangeOf } from './range.ts';

export interface Download {
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly etag: string;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

/** A file, or the part of it that was asked for. */
export function download(file: Download, range: string | undefined) {
  const part = rangeOf(range, file.size);
  const { from, to } = part ?? { from: 0, to: file.size };
  return {
    status: part === null ? (200 as const) : (206 as const),
    body: undefined,
    bytes: file.read({ from, to }),
    headers: {
      ...fileHeaders(file.name, file.mediaType),
      'content-length': String(to - from),
      'accept-ranges': 'bytes',
      etag: `"${file.etag}"`,
      ...(part !== null && { 'content-range': `bytes ${from}-${to - 1}/${file.size}` }),
    },
  };
}

/** Shown or saved under its name; whatever is in it, it runs nothing and reaches nothing of ours. */
export function fileHeaders(name: string, mediaType: string): Record<string, string> {
  const plain = name.replaceAll(/[^\x20-\x7E]|["\\]/g, '_');
  return {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  };
}

/** RFC 8187 allows fewer characters than a URL does. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
