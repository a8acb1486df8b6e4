import { isoOrNull } from '@millrace/workload-kit';
import { type AppParts, type Handlers, ok } from '../http/handler.ts';
import { DEVELOPER } from '../identity/caller.ts';

export function identityHandlers({ signIn }: AppParts): Handlers<'signIn' | 'me'> {
  return {
    signIn: () => Promise.resolve(ok(signIn)),
    async me({ caller }) {
      const { name, subject, roles, tenants, claims, expiresAt } = caller ?? DEVELOPER;
      const { version, environment, sandbox } = signIn;
      return ok({
        version,
        environment,
        sandbox,
        name,
        subject,
        roles: [...roles],
        tenants: tenants === null ? null : [...tenants],
        claims: Object.fromEntries(
          Object.entries(claims).map(([claim, values]) => [claim, [...values]]),
        ),
        expiresAt: isoOrNull(expiresAt),
      });
    },
  };
}
