import { type Contract, type RouteName, TENANT_HEADER, allows, contracts } from '@millrace/api';
import type { Scope } from '@millrace/engine';
import type { FastifyRequest } from 'fastify';
import type { Authenticate, Caller } from '../identity/caller.ts';
import { isTenantName } from '../identity/names.ts';
import { NOTHING, scopeOf } from '../identity/scope.ts';
import type { RateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';
import { type RequestAccess, createAccessTrace } from './access-trace.ts';

/** The caller, and what they may see and act on. */
export interface Admitted {
  /** Null where the route is for anyone. */
  readonly caller: Caller | null;
  readonly scope: Scope;
  readonly accessTrace: RequestAccess;
}

/** Throws for whoever may not, before a byte of the body is read. */
export type Admit = (name: RouteName, request: FastifyRequest) => Promise<Admitted>;

export function createAdmit(authenticate: Authenticate, rateLimit: RateLimit): Admit {
  return async (name, request) => {
    const contract: Contract = contracts[name];
    const { access } = contract;
    const accessTrace = createAccessTrace();
    if (access === 'anyone') {
      // By route: whoever floods one of them must not make the probes of the others fail.
      rateLimit.take(`${name} from ${request.ip}`);
      return { caller: null, scope: NOTHING, accessTrace };
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
        `This needs the role ${access}; ${caller.name} has ${has}.`,
      );
    }
    // Who one is can be asked by anyone who has a token; it is about nobody's things.
    if (access === 'signedIn') return { caller, scope: NOTHING, accessTrace };
    const named = tenantNamed(request.headers[TENANT_HEADER]);
    return { caller, scope: scopeOf(caller, contract, named, accessTrace), accessTrace };
  };

  /** Only those who are refused are limited by address: many good callers may come through one proxy. */
  async function known({ headers, ip }: FastifyRequest): Promise<Caller> {
    try {
      return await authenticate(headers.authorization);
    } catch (error) {
      if (error instanceof Refusal) rateLimit.take(`failed from ${ip}`);
      throw error;
    }
  }
}

/** Headers have few characters: others are written as in a URL. */
function tenantNamed(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const named = decoded(String(header));
  if (named === null)
    throw new Refusal(
      'invalid_request',
      `The header ${TENANT_HEADER} is not valid percent-encoding: % must be followed by two hexadecimal digits.`,
    );
  // Admins may name any tenant, so an invalid name would reach the store.
  if (!isTenantName(named))
    throw new Refusal(
      'invalid_request',
      `The header ${TENANT_HEADER} is not a valid tenant name: it is longer than 100 characters, or has a character that is not allowed (such as %00).`,
    );
  return named;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
