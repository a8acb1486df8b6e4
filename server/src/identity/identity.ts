import type { Place, SignIn } from '@millrace/api';
import type { Config } from '../config/config.ts';
import type { IdentityConfig } from '../config/identity.ts';
import type { HealthCheck } from '@millrace/workload-kit';
import { identityCheck } from '../health.ts';
import type { Logger } from '../log/log.ts';
import type { Telemetry } from '../telemetry/types.ts';
import { type Authenticate, DEVELOPER } from './caller.ts';
import { createKeys } from './keys.ts';
import { createAuthenticate } from './verify.ts';

/** The trusted issuers, and the sign-in details for clients. */
export interface Identity {
  readonly authenticate: Authenticate;
  readonly signIn: Omit<SignIn, keyof Place>;
  readonly checks: readonly HealthCheck[];
}

/** The sandbox becomes one of these once it has been started. */
export type RealIdentity = Exclude<IdentityConfig, { mode: 'sandbox' }>;

export function createIdentity(
  config: RealIdentity,
  log: Logger,
  telemetry: Pick<Telemetry, 'call'>,
  { tenantClaim, callerClaims }: Pick<Config, 'tenantClaim' | 'callerClaims'>,
): Identity {
  if (config.mode === 'bypass') {
    return {
      authenticate: () => Promise.resolve(DEVELOPER),
      signIn: { required: false, issuer: null, clientId: null, scope: null },
      checks: [],
    };
  }
  const { issuers, audiences, jwksUri, clientId } = config;
  const keys = createKeys({
    uri: jwksUri,
    now: () => performance.now(),
    measured: (run) => telemetry.call({ dependency: 'identity', operation: 'keys' }, run),
    onFailure: (err) => log.warn({ err }, 'the keys of the issuer could not be fetched'),
  });
  // Fetches the keys now, so that the first request need not wait for them. Where that fails, readiness says so.
  void keys.check();
  return {
    authenticate: createAuthenticate({
      issuers,
      audiences,
      tenantClaim,
      callerClaims,
      keys,
      now: Date.now,
    }),
    signIn: {
      required: true,
      issuer: issuers[0] ?? null,
      clientId,
      scope: `${scopeBase(audiences)}/.default`,
    },
    checks: [identityCheck(keys)],
  };
}

/** Scopes begin with the Application ID URI; that of a bare client id, which is all that tokens of version 2 name, is api:// and the id. */
function scopeBase(audiences: readonly string[]): string {
  return audiences.find((each) => URL.canParse(each)) ?? `api://${audiences[0] ?? ''}`;
}
