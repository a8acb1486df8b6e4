import { contracts } from '@millrace/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOnPurpose } from '../http/refusal.ts';

type RequestLog = (request: FastifyRequest, reply: FastifyReply) => void;

/** Lines about the denied a minute: of one address, and of all. A flood must not fill the disk, nor hide the others. */
const DENIED = { each: 10, all: 300 };
const MINUTE_MS = 60_000;

/** One line per request: what failed on our side, what changed something, who was denied, and at debug the rest. */
export function createRequestLog(now: () => number): RequestLog {
  const denials = createDenials(now);
  return (request, reply) => {
    const { method, ip: address } = request;
    const { statusCode: status } = reply;
    // The route, not the address: a path can hold a person's name, a query a key.
    const route = request.routeOptions.url ?? 'none';
    const durationMs = Math.round(reply.elapsedTime * 10) / 10;
    const by = request.caller?.name;
    const line = { method, route, status, durationMs, ...(by && { by }) };
    const { failure, refusal: code } = request;
    if (failure !== null) return request.log.error({ ...line, code, ...failure }, 'request failed');
    // Callers get "not found" for another tenant's items; the log records the denial.
    const wasKept = request.admitted?.accessTrace.wasDenied() === true;
    if (!isDenied(status, code) && !wasKept)
      return request.log[levelOf(method, route, status)](line, 'request');
    const fields = { ...line, code, address, ...forwarded(request) };
    const unlogged = denials.take(address);
    if (unlogged === null) return request.log.debug(fields, 'request denied');
    request.log.info({ ...fields, ...(unlogged > 0 && { unlogged }) }, 'request denied');
  };
}

/** Not known, not allowed, too often, or more than there is room for. */
function isDenied(status: number, code: string | null): boolean {
  return status === 401 || status === 403 || status === 429 || isOnPurpose(code);
}

/** That it is not ready is what /readyz was asked for, every few seconds, and why has been logged by the check. */
function levelOf(method: string, route: string, status: number): 'debug' | 'info' | 'error' {
  if (status >= 500 && route !== contracts.readyz.path) return 'error';
  return method === 'GET' || method === 'HEAD' ? 'debug' : 'info';
}

/** The client address that a proxy claims. Anyone can send this header, so it is logged beside the real address. */
function forwarded({ headers }: FastifyRequest): { forwardedFor?: string } {
  const given = headers['x-forwarded-for'];
  return typeof given === 'string' ? { forwardedFor: given.slice(0, 200) } : {};
}

interface Denials {
  /** How many went unlogged before this one; null: this one goes unlogged too. */
  take(address: string): number | null;
}

/** Counted from minute to minute, so that no more addresses are remembered than lines were written. */
function createDenials(now: () => number): Denials {
  let since = now();
  let lines = 0;
  let unlogged = 0;
  const byAddress = new Map<string, number>();
  return {
    take(address) {
      if (now() - since >= MINUTE_MS) {
        since = now();
        lines = 0;
        byAddress.clear();
      }
      const own = byAddress.get(address) ?? 0;
      if (own >= DENIED.each || lines >= DENIED.all) {
        unlogged += 1;
        return null;
      }
      byAddress.set(address, own + 1);
      lines += 1;
      const missed = unlogged;
      unlogged = 0;
      return missed;
    },
  };
}
