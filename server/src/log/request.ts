import type { FastifyReply, FastifyRequest } from 'fastify';

/** One line per request: what failed on our side, what changed something, what was denied, and at debug the rest. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const { statusCode: status } = reply;
  const { caller, witnessed } = request.admitted ?? {};
  const isDenied = status === 401 || status === 403 || witnessed?.wasDenied() === true;
  const reads = method === 'GET' || method === 'HEAD';
  const level = status >= 500 ? 'error' : reads && !isDenied ? 'debug' : 'info';
  // The route, not the address: a path can hold a person's name, a query a key.
  const route = request.routeOptions.url ?? 'none';
  const durationMs = Math.round(reply.elapsedTime * 10) / 10;
  const by = caller?.name;
  // Who tries what is not theirs is looked for by address.
  const denied = isDenied && { denied: true, address: request.ip };
  request.log[level](
    { method, route, status, durationMs, ...(by && { by }), ...denied },
    'request',
  );
}
