import { gzipSync } from 'node:zlib';
import { type Answer, json as plainJson } from '@millrace/simulator-kit';
import { type ApiError, errorLine } from '../errors.ts';
import type { Reply } from '../rest/request.ts';

/** With the content type as Salesforce spells it. */
export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return plainJson(status, body, { 'content-type': 'application/json;charset=UTF-8', ...headers });
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
export function packed(answer: Answer, accepted: string | undefined): Answer {
  const { headers, body } = answer;
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  if (!isJson || body.length === 0 || !/\bgzip\b/.test(accepted ?? '')) return answer;
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
}
