import type { CatalogueView } from '../catalogue/types.ts';
import { claimsIn } from '../identity/identity.ts';

/**
 * The claims that have to be kept with a job of a report: those of its own row rules, and those of reports that follow from it
 * with its identity. A claim that is not kept is one that the child does not have.
 */
export function claimsNeeded(view: CatalogueView, report: string): Set<string> {
  const claims = new Set<string>();
  const names = new Set([report]);
  // A set grows while it is walked through.
  for (const name of names) {
    for (const claim of claimsIn(view.reports.get(name)?.value.rows ?? [])) claims.add(claim);
    for (const { value: child } of view.reports.values())
      if (
        child.after.some(
          ({ as, parents }) => as === 'parent' && parents.some((each) => each.report === name),
        )
      )
        names.add(child.name);
  }
  return claims;
}
