import type { ServerResponse } from 'node:http';
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

export function refusal(error: ApiError): Answer {
  return json(error.status, [errorLine(error)]);
}

export function replied({ status, headers = {}, body }: Reply): Answer {
  if (body === undefined) return { status, headers, body: '' };
  if (Buffer.isBuffer(body)) return { status, headers, body };
  return json(status, body, headers);
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(body.length > 0 && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  });
  response.end(body);
}
