import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type ApiError, errorLine } from '../errors.ts';
import type { Reply } from '../rest/request.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json;charset=UTF-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** What a gateway before the org says in its place: a page for people, and nothing of Salesforce. */
export function gatewayPage(status: number): Answer {
  const title = { 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' }[status];
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<html><head><title>${status} ${title}</title></head><body><h1>${title}</h1></body></html>`,
  };
}

export function refusal(error: ApiError): Answer {
  return json(error.status, [errorLine(error)]);
}

export function replied({ status, headers = {}, body }: Reply): Answer {
  if (body === undefined) return { status, headers, body: '' };
  if (Buffer.isBuffer(body)) return { status, headers, body };
  return json(status, body, headers);
}

/** JSON is packed for who takes it, as the REST API guide says ("Use Compression"). */
export function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  accepted: string | undefined,
): void {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  const isPacked = isJson && body.length > 0 && /\bgzip\b/.test(accepted ?? '');
  const sent = isPacked ? gzipSync(body) : body;
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(sent.length > 0 && { 'content-length': String(Buffer.byteLength(sent)) }),
    ...(isPacked && { 'content-encoding': 'gzip' }),
    ...headers,
  });
  response.end(sent);
}
