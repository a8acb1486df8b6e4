import type { LookupFunction } from 'node:net';
import { createDeadline } from './deadline.ts';
import type { Peer } from './errors.ts';
import { type Answer, type WireRequest, createWire } from './wire.ts';

/**
 * One request over a connection of its own: one that is kept would have been looked up, and checked, under another name. Its
 * answer is read within the time.
 */
export async function sendOnce<T>(
  url: URL,
  params: Pick<WireRequest, 'method' | 'headers'> & {
    readonly body?: Uint8Array;
    readonly peer: Peer;
    readonly ms: number;
    readonly signal?: AbortSignal | undefined;
    readonly lookup?: LookupFunction;
  },
  read: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { peer, ms, signal, method, body = null, lookup } = params;
  const wire = createWire({
    peer,
    connections: 1,
    timeoutMs: ms,
    ...(lookup !== undefined && { lookup }),
  });
  const deadline = createDeadline({ ms, signal });
  const headers = { 'user-agent': 'Millrace', connection: 'close', ...params.headers };
  const path = `${url.pathname}${url.search}`;
  try {
    return await read(
      await wire.send({ origin: url.origin, method, path, headers, body }, deadline),
    );
  } finally {
    deadline.clear();
    await wire.close();
  }
}
