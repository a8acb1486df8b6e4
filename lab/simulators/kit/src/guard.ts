import type { IncomingHttpHeaders } from 'node:http';
import { inUrl, isLoopbackName, parseUrl } from './loopback.ts';
import type { Place } from './options.ts';

/**
 * A name that resolves to 127.0.0.1 (DNS rebinding) would make a foreign page a page of this simulator. Its Host
 * header gives it away.
 */
export function isOwnHost({ host, onLoopback }: Place, header: string | undefined): boolean {
  const name = parseUrl(`http://${header ?? ''}`)?.hostname;
  if (name === undefined) return false;
  return onLoopback ? isLoopbackName(name) : name === parseUrl(`http://${inUrl(host)}`)?.hostname;
}

/** Browsers name the page behind every post. Programs that are none send no Origin. */
export function isOwnPage({ origin, host }: IncomingHttpHeaders): boolean {
  return origin === undefined || origin === `http://${host ?? ''}`;
}
