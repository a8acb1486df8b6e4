import { contracts } from '@millrace/api';
import { narrowed, tenantsOf } from '@millrace/engine';
import type { AuditLog } from '@millrace/store-postgres';
import { defined } from '@millrace/workload-kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Admit } from '../http/admit.ts';
import { noteRead } from '../http/audit.ts';
import { LASTING, callOf } from '../http/register.ts';
import type { Hub } from './hub.ts';

const { events: contract } = contracts;
type Query = z.output<typeof contract.query>;

/** Authorised like every route; from then on the hub has the socket. */
export function registerEvents(
  app: FastifyInstance,
  admit: Admit,
  { hub, audit }: { readonly hub: Hub; readonly audit: AuditLog },
): void {
  app.route({
    method: contract.method,
    url: contract.path,
    ...LASTING,
    async onRequest(request) {
      request.admitted = await admit('events', request);
    },
    async handler(request, reply) {
      const call = callOf(contract, request, reply);
      const { caller, scope } = call;
      const query = call.query as unknown as Query;
      // What it will show is not known yet: whose jobs it may show is.
      scope.accessTrace?.touched(tenantsOf(narrowed(scope, defined({ tenant: query.tenant }))));
      await noteRead('events', null, call, audit);
      await hub.open({
        response: reply.raw,
        // What the hooks have set so far: correlation and security.
        headers: headersOf(reply),
        caller: caller?.subject ?? '',
        filter: { ...query, scope },
        expiresAt: caller?.expiresAt ?? null,
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
