import type { AddressInfo } from 'node:net';

/** Where a server listens, as it is: Fastify would say 127.0.0.1 where it listens on every address. */
export function addressOf(server: { address(): AddressInfo | string | null }): string {
  const at = server.address();
  if (at === null || typeof at === 'string') return at ?? '';
  const host = at.family === 'IPv6' ? `[${at.address}]` : at.address;
  return `http://${host}:${at.port}`;
}
