import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackName, isLoopbackOrigin, inUrl, parseUrl } from './loopback.ts';
import type { Settings } from './options.ts';
import type { Route } from './routes.ts';

/**
 * A name that resolves to 127.0.0.1 (DNS rebinding) would make a foreign page a page of this issuer.
 * Its Host header gives it away.
 */
export function isOwnHost({ host, onLoopback }: Settings, header: string | undefined): boolean {
  const name = parseUrl(`http://${header ?? ''}`)?.hostname;
  if (name === undefined) return false;
  return onLoopback ? isLoopbackName(name) : name === parseUrl(`http://${inUrl(host)}`)?.hostname;
}

/** Browsers name the page behind every post. Programs that are none send no Origin. */
export function mayPost({ pages }: Route, { origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined || pages === 'any') return true;
  const own = origin === `http://${host ?? ''}`;
  return own || (pages === 'loopback' && isLoopbackOrigin(origin));
}

/** CORS: a console on this machine may read what programs may. */
export function corsHeaders(
  { pages }: Route,
  { origin }: IncomingHttpHeaders,
): Readonly<Record<string, string>> {
  if (pages !== 'loopback') return {};
  if (origin === undefined || !isLoopbackOrigin(origin)) return { vary: 'Origin' };
  return { vary: 'Origin', 'access-control-allow-origin': origin };
}

export const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
};
