import { withinTime } from '@millrace/workload-kit';
import { lookup as systemLookup } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './address.ts';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
}

export interface Delivery {
  readonly url: URL;
  /** The operator trusts this host: its addresses are not checked. */
  readonly exempt: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
}

export type Lookup = typeof systemLookup;

/** From the lookup to the last byte. */
const TIMEOUT_MS = 10_000;
/** More of an answer than this is not worth waiting for. */
const MOST_BYTES = 64 * 1024;

/** The name leads to an address that a stranger's URL must not reach. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  constructor(host: string) {
    super(`"${host}" leads to an address that is not on the public internet.`);
  }
}

/**
 * One POST. Redirects are answers like any other. A new connection each time: a pooled one would have
 * been checked under another name.
 */
export function send(delivery: Delivery, lookup: Lookup = systemLookup): Promise<Answer> {
  const { timeoutMs = TIMEOUT_MS } = delivery;
  return withinTime(timeoutMs, delivery.signal, (signal) => post(delivery, lookup, signal));
}

function post(delivery: Delivery, lookup: Lookup, signal: AbortSignal): Promise<Answer> {
  const { url, exempt, headers, body } = delivery;
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Millrace',
        connection: 'close',
        ...headers,
      },
      signal,
      lookup: exempt ? lookup : publicOnly(lookup),
    });
    let answer: Answer | null = null;
    // Once there is a status, nothing that happens to the rest of the answer matters.
    const end = (error: Error): void => {
      if (answer !== null) resolve(answer);
      else reject(signal.aborted ? (signal.reason as Error) : error);
    };
    sent.on('error', end);
    sent.on('close', () => end(new Error('the connection was closed without an answer')));
    sent.on('response', (response) => {
      answer = {
        status: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'] ?? null,
      };
      // The body is read and dropped, so that the other side can finish sending.
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) sent.destroy();
      });
      response.on('error', end);
    });
    sent.end(body);
  });
}

/**
 * The addresses are checked where the connection gets them from, so what was checked is what is
 * connected to: there is no second lookup that could say something else.
 */
export function publicOnly(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = error ? [] : addresses;
      if (error) return callback(error, '');
      if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address))) {
        return callback(new AddressRefused(hostname), '');
      }
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}
