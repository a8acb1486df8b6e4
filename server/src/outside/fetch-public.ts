import { lookup } from 'node:dns';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { type FetchPublic, FetchRefused, withinTime } from '@millrace/workload-kit';
import type { Telemetry } from '../telemetry/types.ts';
import { isPublicAddress } from '../webhook/address.ts';
import { publicOnly } from '../webhook/send.ts';
import { bare } from '../webhook/url.ts';

const TIMEOUT_MS = 10_000;

/**
 * The name must lead to the public internet, and what was checked is what is connected to. Redirects are refused: they
 * would lead past the caller's own list of hosts.
 */
export function createFetchPublic(measured: Telemetry['call']): FetchPublic {
  return (url, options) =>
    measured({ dependency: options.dependency, operation: 'fetch' }, () =>
      withinTime(TIMEOUT_MS, options.signal, (signal) =>
        fetchBytes(new URL(url), { ...options, signal }),
      ),
    );
}

function fetchBytes(
  url: URL,
  {
    accept,
    signal,
    maxBytes,
  }: { readonly accept: string; readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<Uint8Array> {
  const host = bare(url.hostname);
  return new Promise((resolve, reject) => {
    // An address is not looked up, so nothing else would check it.
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      reject(refused(url, 'is at an address that is not on the public internet', false));
      return;
    }
    const asked = request(url, {
      agent: false,
      headers: { accept, 'user-agent': 'Millrace', connection: 'close' },
      signal,
      lookup: publicOnly(lookup),
    });
    asked.on('error', (error) => reject(unreachable(url, error)));
    asked.on('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status !== 200) {
        asked.destroy();
        reject(refused(url, `answered ${status}`, status >= 500));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxBytes) {
          reject(refused(url, `is larger than ${maxBytes} bytes`, false));
          asked.destroy();
        }
      });
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', (error) => reject(unreachable(url, error)));
    });
    asked.end();
  });
}

function refused(url: URL, why: string, retryable: boolean): FetchRefused {
  return new FetchRefused(`${url.host} ${why}.`, retryable);
}

function unreachable(url: URL, error: Error): FetchRefused {
  return refused(url, `could not be fetched: ${error.message}`, error.name !== 'AddressRefused');
}
