import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackOrigin, isOwnPage } from '@millrace/simulator-kit';
import type { Route } from './routes.ts';

export function mayPost({ pages }: Route, headers: IncomingHttpHeaders): boolean {
  if (pages === 'any' || isOwnPage(headers)) return true;
  return pages === 'loopback' && isLoopbackOrigin(headers.origin ?? '');
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
