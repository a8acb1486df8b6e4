import { type RouteName, allows, contracts } from '@millrace/api';
import type { FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '../identity/caller.ts';
import type { RateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/** Null where the route is for anyone. Throws for whoever may not, before a byte of the body is read. */
export type Admit = (name: RouteName, request: FastifyRequest) => Promise<Caller | null>;

export function createAdmit(authenticate: Authenticate, rateLimit: RateLimit): Admit {
  return async (name, request) => {
    const { access } = contracts[name];
    if (access === 'anyone') {
      // By route: whoever floods one of them must not make the probes of the others fail.
      rateLimit.take(`${name} from ${request.ip}`);
      return null;
    }
    const caller = await known(request);
    // Also of those who may not: the log says who they were.
    request.caller = caller;
    rateLimit.take(`subject ${caller.subject}`);
    if (!allows(access, caller.roles)) {
      const has =
        caller.roles.length === 0 ? 'no role here' : `the role ${caller.roles.join(', ')}`;
      throw new Refusal(
        'role_missing',
        `This needs the role ${access}, and ${caller.name} has ${has}.`,
      );
    }
    return caller;
  };

  /** Only those who fail are limited by address: many good callers may come through one proxy. */
  async function known({ headers, ip }: FastifyRequest): Promise<Caller> {
    try {
      return await authenticate(headers.authorization);
    } catch (error) {
      rateLimit.take(`failed from ${ip}`);
      throw error;
    }
  }
}
