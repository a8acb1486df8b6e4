import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { HttpError, createPeer, sendOnce } from '@millrace/http';
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

/** One POST. Redirects are answers like any other. */
export async function send(delivery: Delivery, lookup: Lookup = systemLookup): Promise<Answer> {
  const { url, exempt, headers, signal } = delivery;
  try {
    return await sendOnce(
      url,
      {
        peer: createPeer('the receiver', HttpError),
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(delivery.body),
        ms: delivery.timeoutMs ?? TIMEOUT_MS,
        signal,
        lookup: exempt ? lookup : publicOnly(lookup),
      },
      async (answer) => {
        // The body is read and dropped, so that the other side can finish sending. Nothing that happens to it matters.
        await answer.bytes(MOST_BYTES).catch(() => {});
        return { status: answer.status, retryAfter: answer.headers['retry-after'] ?? null };
      },
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof HttpError && error.cause instanceof AddressRefused ? error.cause : error;
  }
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
