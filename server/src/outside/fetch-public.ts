import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { HttpError, createPeer, sendOnce } from '@millrace/http';
import { type FetchPublic, FetchRefused } from '@millrace/workload-kit';
import type { Telemetry } from '../telemetry/types.ts';
import { isPublicAddress } from '../webhook/address.ts';
import { AddressRefused, publicOnly } from '../webhook/send.ts';
import { bare } from '../webhook/url.ts';

const TIMEOUT_MS = 10_000;

/**
 * By https, from the public internet: what was checked is what is connected to. Redirects are refused: they would lead past the
 * caller's own list of hosts.
 */
export function createFetchPublic(measured: Telemetry['call']): FetchPublic {
  return (url, options) =>
    measured({ dependency: options.dependency, operation: 'fetch' }, () =>
      fetchBytes(new URL(url), options),
    );
}

async function fetchBytes(
  url: URL,
  { accept, signal, maxBytes }: Parameters<FetchPublic>[1],
): Promise<Uint8Array> {
  const host = bare(url.hostname);
  if (url.protocol !== 'https:')
    throw refused(url, 'is not fetched: the address is not https', false);
  // An address is not looked up, so nothing else would check it.
  if (isIP(host) !== 0 && !isPublicAddress(host))
    throw refused(url, 'is at an address that is not on the public internet', false);
  const params = {
    peer: createPeer('the host', HttpError),
    method: 'GET',
    headers: { accept },
    ms: TIMEOUT_MS,
    signal,
    lookup: publicOnly(lookup),
  } as const;
  try {
    return await sendOnce(url, params, async (answer) => {
      if (answer.status === 200) return answer.bytes(maxBytes);
      throw refused(url, `answered ${answer.status}`, answer.status >= 500);
    });
  } catch (error) {
    throw error instanceof HttpError ? notFetched(url, error) : error;
  }
}

function notFetched(url: URL, { message, cause, kind }: HttpError): FetchRefused {
  const refusal = cause instanceof AddressRefused ? cause : null;
  return refused(
    url,
    `could not be fetched: ${refusal?.message ?? message}`,
    refusal === null && kind === 'unavailable',
  );
}

function refused(url: URL, why: string, retryable: boolean): FetchRefused {
  return new FetchRefused(`${url.host} ${why}.`, retryable);
}
