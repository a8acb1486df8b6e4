import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

export interface Incoming {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body of a POST. Throws a refusal when it is too long or no form. */
  form(): URLSearchParams;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Handler = (incoming: Incoming) => Answer | Promise<Answer>;

/** What a request says, each name once. An empty value is as good as none (RFC 6749, 3.1). */
export type Params = ReadonlyMap<string, string>;

/** No request of ours comes near; a state or a token in it may be a few thousand letters. */
const LONGEST_FORM = 16_384;
/** What is longer is read to its end, so that its sender hears why. This far, and then it is cut off. */
const LONGEST_BODY = 1_048_576;

export function readParams(search: URLSearchParams): Params {
  const params = new Map<string, string>();
  for (const [name, value] of search) {
    if (params.has(name)) {
      throw new Refusal('invalid_request', 'The request gives a parameter twice.');
    }
    params.set(name, value);
  }
  return new Map([...params].filter(([, value]) => value !== ''));
}

/** Null: the sender left in the middle, or would not come to an end. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > LONGEST_BODY) return null;
      chunks.push(chunk);
    }
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

export function parseForm(contentType: string | undefined, body: Buffer): URLSearchParams {
  if (body.length > LONGEST_FORM) {
    throw new Refusal('invalid_request', `The body is longer than ${LONGEST_FORM} bytes.`, 413);
  }
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new Refusal('invalid_request', 'Send application/x-www-form-urlencoded.', 415);
  }
  return new URLSearchParams(body.toString('utf8'));
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** 303: whatever was posted here is not posted there. */
export function redirect(url: URL): Answer {
  return {
    status: 303,
    headers: { location: url.href, 'referrer-policy': 'no-referrer' },
    body: '',
  };
}
