import type { FastifyReply, FastifyRequest } from 'fastify';

/** One line per request: what failed on our side, what changed something, and at debug the rest. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const { statusCode: status } = reply;
  const level = status >= 500 ? 'error' : method === 'GET' || method === 'HEAD' ? 'debug' : 'info';
  // The route, not the address: a path can hold a person's name, a query a key.
  const route = request.routeOptions.url ?? 'none';
  const durationMs = Math.round(reply.elapsedTime * 10) / 10;
  const by = request.caller?.name;
  request.log[level]({ method, route, status, durationMs, ...(by && { by }) }, 'request');
}
