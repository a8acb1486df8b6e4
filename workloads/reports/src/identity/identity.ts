import type { Caller } from '@millrace/workload-kit';
import type { ReportIdentity, RowRule, ServiceIdentity } from './types.ts';

/** What is kept of a caller: of the claims only those that rules ask for. */
export function identityOf(caller: Caller, claims: ReadonlySet<string>): ReportIdentity {
  return {
    name: caller.name,
    subject: caller.subject,
    service: null,
    roles: caller.roles,
    claims: onlyThose(caller.claims, claims),
  };
}

/** Who submits the jobs of a service identity, as lists show it. */
export function submitterOf(service: string): string {
  return `service:${service}`;
}

export function identityOfService(
  service: ServiceIdentity,
  claims: ReadonlySet<string>,
): ReportIdentity {
  return {
    name: submitterOf(service.name),
    subject: null,
    service: service.name,
    roles: service.roles,
    claims: onlyThose(service.claims, claims),
  };
}

/** Every claim that the rules look at. */
export function claimsIn(rules: readonly RowRule[]): string[] {
  return rules.flatMap(({ when, see }) => [
    ...Object.keys(when),
    ...(typeof see === 'string' ? [] : see.flatMap((each) => ('claim' in each ? each.claim : []))),
  ]);
}

/** The same text for identities that see the same, whoever they are. Claims that rules do not look at make no difference. */
export function sightOf(identity: ReportIdentity, claims: ReadonlySet<string>): string {
  return JSON.stringify([
    identity.roles.toSorted(),
    [...claims].toSorted().map((claim) => [claim, valuesOf(identity, claim).toSorted()]),
  ]);
}

/** An own member only: a claim called `constructor` is none that everybody has. */
export function valuesOf({ claims }: ReportIdentity, claim: string): readonly string[] {
  return Object.hasOwn(claims, claim) ? (claims[claim] ?? []) : [];
}

function onlyThose(
  claims: Readonly<Record<string, readonly string[]>>,
  wanted: ReadonlySet<string>,
): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => wanted.has(claim)));
}
