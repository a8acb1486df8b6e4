import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Telemetry } from './types.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * A stream of events lasts as long as its reader likes, which is no latency: open streams are counted instead.
     */
    stream?: boolean;
  }
}

/**
 * Every request is measured, and traced where there is room. To be called before any other hook is added: what is
 * added before it runs outside the trace.
 */
export function traceRequests(app: FastifyInstance, telemetry: Pick<Telemetry, 'request'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.stream === true) return done();
    const traced = telemetry.request({
      method: request.method,
      // The template, not the address: a path can hold a person's name, and there is no end of them.
      route: request.routeOptions.url ?? 'none',
      traceparent: headerOf(request, 'traceparent'),
      correlationId: request.id,
    });
    // `close` comes after the last byte and also when the caller hangs up, as a reader of live events always does.
    reply.raw.once('close', () => traced.end(statusOf(reply)));
    // A hook with a callback: what is called from inside it stays inside, also beyond the body, for Fastify
    // leads back from the socket's context to that of the request.
    traced.inside(done);
  });
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Without a status if the caller left before there was one. */
function statusOf({ raw }: FastifyReply): number | null {
  return raw.headersSent ? raw.statusCode : null;
}
