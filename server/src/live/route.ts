import { contracts } from '@millrace/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Admit } from '../http/admit.ts';
import { callOf } from '../http/register.ts';
import type { Hub } from './hub.ts';

const { events: contract } = contracts;
type Query = z.output<typeof contract.query>;

/** Authorised like every route; from then on the hub has the socket. */
export function registerEvents(app: FastifyInstance, admit: Admit, hub: Hub): void {
  app.route({
    method: contract.method,
    url: contract.path,
    // Nobody wants the head of a stream alone, and it would never end.
    exposeHeadRoute: false,
    config: { stream: true },
    async onRequest(request) {
      request.caller = await admit('events', request);
    },
    async handler(request, reply) {
      const query = callOf(contract, request, reply).query as unknown as Query;
      await hub.open({
        response: reply.raw,
        // What the hooks have set so far: correlation and security.
        headers: headersOf(reply),
        caller: request.caller?.subject ?? '',
        filter: query,
        lastEventId: lastEventId(request),
        expiresAt: request.caller?.expiresAt ?? null,
        correlationId: request.id,
      });
      return reply.hijack();
    },
  });
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const set = Object.entries(reply.getHeaders());
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}

function lastEventId({ headers }: FastifyRequest): string | null {
  const given = headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? given : null;
}
