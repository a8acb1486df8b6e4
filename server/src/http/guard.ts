import type { FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';
import { isLoopbackHost } from '../webhook/address.ts';
import { bare } from '../webhook/url.ts';

/**
 * Any web page can send requests to 127.0.0.1, and with a name that resolves to it (DNS rebinding) it
 * could read the answers too. A browser names both sites in Host and Origin: those two are checked.
 */
export function createGuard(listenHost: string): (request: FastifyRequest) => void {
  const onlyLoopback = isLoopbackHost(listenHost);
  return (request) => {
    const { host, origin } = request.headers;
    if (onlyLoopback && !isLoopbackHost(nameOf(host))) {
      throw new Refusal(
        'host_not_allowed',
        `This server answers only to localhost and loopback addresses, not to "${host ?? ''}".`,
      );
    }
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads && origin !== undefined && hostOf(origin) !== host) {
      throw new Refusal(
        'origin_not_allowed',
        `Pages of "${origin}" may not send requests that change something.`,
      );
    }
  };
}

function nameOf(host: string | undefined): string {
  const url = host === undefined ? null : parse(`http://${host}`);
  return url === null ? '' : bare(url.hostname);
}

function hostOf(origin: string): string | null {
  return parse(origin)?.host ?? null;
}

function parse(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
