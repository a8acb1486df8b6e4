import { MarketingCloudError } from '../errors.ts';
import type { Log } from '../types.ts';
import { type LoginParams, type Session, createLogin } from './login.ts';
import { createRefusals } from './token-refusals.ts';

/**
 * A token serves the business unit that it was asked for and no other, so there is one for each. It is used until shortly
 * before `expires_in` ends, and all callers wait for one and the same new one. Marketing Cloud asks for at most one request in
 * 20 minutes and gives tokens 1,079 s: no client comes closer to it than one request for each lifetime.
 */
export interface Tokens {
  get(mid: string): Promise<Session>;
  /** Drops a token that Marketing Cloud refused; a newer one is kept. */
  refused(mid: string, session: Session): void;
  /** How many were asked for. */
  count(): number;
}

export interface TokenParams extends LoginParams {
  readonly log: Log;
}

/** One business unit. */
interface Account {
  session: Session | null;
  flight: Promise<Session> | null;
}

export function createTokens(params: TokenParams): Tokens {
  const { now, log } = params;
  const login = createLogin(params);
  const refusals = createRefusals(now);
  const accounts = new Map<string, Account>();
  let count = 0;

  function accountOf(mid: string): Account {
    const account = accounts.get(mid) ?? { session: null, flight: null };
    accounts.set(mid, account);
    return account;
  }

  async function get(mid: string): Promise<Session> {
    const account = accountOf(mid);
    if (account.session !== null && now() < account.session.expiresAt) return account.session;
    account.flight ??= renew(mid, account).finally(() => {
      account.flight = null;
    });
    return account.flight;
  }

  async function renew(mid: string, account: Account): Promise<Session> {
    refusals.check(mid);
    count += 1;
    try {
      account.session = await login(mid);
      log.info({ mid }, 'Marketing Cloud gave a new token');
      return account.session;
    } catch (error) {
      if (!(error instanceof MarketingCloudError)) throw error;
      refusals.ofLogin(mid, error);
      log.warn({ mid, code: error.code, status: error.status }, `No token: ${error.message}`);
      throw error;
    }
  }

  return {
    get,
    refused(mid, session) {
      const account = accountOf(mid);
      if (account.session !== session) return;
      account.session = null;
      refusals.ofToken(mid);
    },
    count: () => count,
  };
}
