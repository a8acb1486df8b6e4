import { ApiError } from '../errors.ts';
import { isObject } from '../rest/request.ts';

interface Part {
  readonly name: string;
  readonly filename: string | null;
  readonly body: Buffer;
}

/**
 * A record and its file: one part is JSON and has any name, the other is the file and is named after its field.
 * They come in either order.
 */
export function readMultipart(
  contentType: string,
  body: Buffer,
): Readonly<Record<string, unknown>> {
  const parts = splitParts(contentType, body);
  const json = parts.filter(({ filename }) => filename === null);
  const files = parts.filter(({ filename }) => filename !== null);
  const first = json[0];
  if (first === undefined || json.length > 1) {
    throw invalid('Multipart message must include a non-binary part');
  }
  const fields = parseJson(first.body.toString('utf8'));
  if (!isObject(fields)) throw invalid('The non-binary part must be a JSON object');
  return { ...fields, ...Object.fromEntries(files.map((file) => [file.name, file.body])) };
}

function splitParts(contentType: string, body: Buffer): Part[] {
  const match = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw invalid('The content type names no boundary');
  const delimiter = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let at = body.indexOf(delimiter);
  while (at >= 0) {
    const start = at + delimiter.length;
    if (body.toString('latin1', start, start + 2) === '--') return parts;
    at = body.indexOf(Buffer.from(`\r\n--${boundary}`), start);
    if (at < 0) break;
    parts.push(readPart(body.subarray(start + 2, at)));
    at += 2;
  }
  throw invalid('The multipart message has no end');
}

function readPart(part: Buffer): Part {
  const end = part.indexOf('\r\n\r\n');
  if (end < 0) throw invalid('A part has no headers');
  const head = part.toString('utf8', 0, end);
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? '';
  const name = /\bname="([^"]*)"/i.exec(disposition)?.[1] ?? '';
  const filename = /\bfilename\*?="?([^";]*)"?/i.exec(disposition)?.[1] ?? null;
  return { name, filename, body: part.subarray(end + 4) };
}

function invalid(message: string): ApiError {
  return new ApiError('INVALID_MULTIPART_REQUEST', message);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : '';
    throw new ApiError(
      'JSON_PARSER_ERROR',
      text === '' ? 'No content to map to Object due to end of input' : reason,
    );
  }
}
