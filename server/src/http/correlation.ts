import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const CORRELATION_HEADER = 'x-correlation-id';

/** The caller's id where it is one that can stand in logs and headers, else a new one. */
export function correlationIdOf(headers: IncomingHttpHeaders): string {
  const given = headers[CORRELATION_HEADER];
  return typeof given === 'string' && /^[\x21-\x7E]{1,128}$/.test(given) ? given : randomUUID();
}
