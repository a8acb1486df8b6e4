import { contracts } from '@millrace/api';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** One line per request: what failed on our side, what changed something, and at debug the rest. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const { statusCode: status } = reply;
  // The route, not the address: a path can hold a person's name, a query a key.
  const route = request.routeOptions.url ?? 'none';
  const level = levelOf(method, route, status);
  const durationMs = Math.round(reply.elapsedTime * 10) / 10;
  const by = request.caller?.name;
  request.log[level]({ method, route, status, durationMs, ...(by && { by }) }, 'request');
}

/** That it is not ready is what /readyz was asked for, every few seconds, and why has been logged by the check. */
function levelOf(method: string, route: string, status: number): 'debug' | 'info' | 'error' {
  if (status >= 500 && route !== contracts.readyz.path) return 'error';
  return method === 'GET' || method === 'HEAD' ? 'debug' : 'info';
}
