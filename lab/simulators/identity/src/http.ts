import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '@millrace/simulator-kit';
import type { IdentityStrikes } from './faults.ts';
import { Refusal } from './refusal.ts';

export interface Incoming {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body of a POST. Throws a refusal when it is too long or no form. */
  form(): URLSearchParams;
  readonly strikes: IdentityStrikes;
}

export type Handler = (incoming: Incoming) => Answer | Promise<Answer>;

/** The parameters of a request, each name once. An empty value is as good as none (RFC 6749, 3.1). */
export type Params = ReadonlyMap<string, string>;

/** No request of ours comes near; a state or a token in it may be a few thousand letters. */
const LONGEST_FORM = 16_384;

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
