import type { Caller } from '../calls/call.ts';
import { jsonObject, textIn, written } from '../calls/json.ts';
import type { Answer } from '../calls/ask.ts';
import { kindOfMessage } from '../calls/words.ts';
import { type ErrorKind, MarketingCloudError, invalidAnswer } from '../errors.ts';
import type { CallOptions } from '../types.ts';

/** One call of the REST API for one business unit. */
export interface Rest {
  call<T>(params: RestCall<T>): Promise<T>;
}

export interface RestCall<T> {
  /** Without ids. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** From the base of REST on, encoded. */
  readonly path: string;
  readonly body?: object;
  readonly isRead: boolean;
  readonly options: CallOptions;
  read(body: Json): T;
}

export type Json = Readonly<Record<string, unknown>>;

/** What a status says of the request when nobody says more. Others, in Marketing Cloud's form, are the request's fault. */
const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: 'session',
  403: 'permission',
  404: 'notFound',
  409: 'duplicate',
  413: 'data',
  429: 'limit',
};
/** Also in the words of a gateway or a proxy: it did not let the request through. */
const SURE = new Set([401, 413, 429]);

export function createRest(caller: Caller, mid: string): Rest {
  return {
    call: ({ name, method, path, body, isRead, options, read }) =>
      caller.call({
        mid,
        operation: `rest:${name}`,
        isRead,
        options,
        request: (session) => ({
          method,
          url: new URL(path, session.rest),
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${session.token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          body: body === undefined ? null : JSON.stringify(body),
        }),
        read: (answer) => read(bodyOf(answer)),
      }),
  };
}

function bodyOf(answer: Answer): Json {
  if (answer.status >= 300) throw refusal(answer);
  const body = jsonObject(answer.text);
  if (body !== null) return body;
  throw invalidAnswer(
    `Marketing Cloud answered ${answer.status} with what is not whole JSON (${answer.text.length} characters).`,
    answer.status,
  );
}

/** `{message, errorcode, documentation}`; of a 400, `validationErrors` or `additionalErrors` beside it say more. */
function refusal({ status, text, retryAfterMs }: Answer): MarketingCloudError {
  const body = jsonObject(text);
  const message = body === null ? '' : messageIn(body);
  if (message === '' && !SURE.has(status)) {
    return new MarketingCloudError(
      `The answer was ${status} without a message: not Marketing Cloud's own, but perhaps that of a gateway or proxy.`,
      { code: `http_${status}`, kind: 'unavailable', outcome: 'unknown', status, retryAfterMs },
    );
  }
  const kind = status >= 500 ? 'unavailable' : (KINDS[status] ?? kindOfMessage(message));
  const code = written(body?.['errorcode']) ?? '0';
  const seconds = Number(body?.['retryAfter']);
  // "Rate limit exceeded" alone would be taken for a limit of ours.
  const said =
    kind === 'limit' && message !== '' ? `Marketing Cloud slows us down: ${message}` : message;
  return new MarketingCloudError(said === '' ? `The answer was ${status}.` : said, {
    code: code === '0' ? `http_${status}` : code,
    kind,
    // Of a 5xx nobody knows how far the work had come.
    outcome: status >= 500 ? 'unknown' : 'refused',
    status,
    retryAfterMs: retryAfterMs ?? (status === 429 && seconds > 0 ? seconds * 1_000 : null),
  });
}

function messageIn(body: Json): string {
  const more = body['validationErrors'] ?? body['additionalErrors'] ?? body['errors'];
  const details = Array.isArray(more) ? more.map((each) => sentenceOf(each)) : [];
  return [...new Set([textIn(body, 'message'), ...details])].filter(Boolean).join(' ');
}

/** A problem as Marketing Cloud lists it: a sentence, or an object that holds one. */
export function sentenceOf(problem: unknown): string {
  const { message, errorMessage } = (problem ?? {}) as Json;
  return written(message ?? errorMessage ?? problem) ?? '';
}
