import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { ApiError } from '../errors.ts';
import { parseJson, readMultipart } from './multipart.ts';

/** Salesforce's own limit of a JSON body: base64 makes that 37.5 MB of file. */
const LONGEST_JSON = 52_428_800;
/** Salesforce takes 2 GB by multipart. Everything here is in memory, so it is less. */
export const LONGEST_BODY = 536_870_912;
/** The limit of the first line and the headers together, before we say ourselves that it is too much. */
const LONGEST_HEAD = 16_384;

/** Clients may pack what they send, too. Null: it cannot be unpacked. */
export function unpacked(body: Buffer, encoding: string | undefined): Buffer | null {
  if (encoding !== 'gzip') return body;
  try {
    return gunzipSync(body, { maxOutputLength: LONGEST_BODY });
  } catch {
    return null;
  }
}

export function checkHead({ url = '', method = '', rawHeaders }: IncomingMessage): void {
  const headers = rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  if (headers > LONGEST_HEAD) {
    throw new ApiError(
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
      `The headers are longer than ${LONGEST_HEAD} bytes.`,
      { status: 431 },
    );
  }
  if (url.length + method.length + headers > LONGEST_HEAD) {
    throw new ApiError(
      'URI_TOO_LONG',
      `The URI and the headers together are longer than ${LONGEST_HEAD} bytes.`,
    );
  }
}

/** The content of a body: JSON, or the parts of a form of which one is JSON and the others are files. */
export function parseBody(contentType: string | undefined, body: Buffer): unknown {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? 'application/json';
  if (type === 'multipart/form-data') return readMultipart(contentType ?? '', body);
  if (type !== 'application/json') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Content type '${type}' is not supported.`);
  }
  if (body.length > LONGEST_JSON) {
    throw new ApiError(
      'REQUEST_ENTITY_TOO_LARGE',
      `Maximum size of request reached. Maximum size of request is ${LONGEST_JSON} bytes.`,
    );
  }
  return parseJson(body.toString('utf8'));
}
