import { either } from '@millrace/workload-kit';
import { valuesOf } from './identity.ts';
import type { ReportIdentity, RowCondition, RowDecision, RowFilter, RowRule } from './types.ts';

/**
 * What someone sees of a report. The first rule that is about them decides; nobody sees anything whom no rule is about.
 *
 * A rule with `roles` or `when` is about everyone whom these fit. If it then asks for a claim that they do not have, they see
 * nothing: the next rule is not tried, since it was written for others. A rule without both is about everyone who has the
 * claims that it asks for.
 */
export function decideRows(
  report: { readonly public: boolean; readonly rows: readonly RowRule[] },
  identity: ReportIdentity,
): RowDecision {
  if (report.public) return { see: 'everything' };
  for (const rule of report.rows) {
    if (!isAbout(rule, identity)) continue;
    if (rule.see === 'all') return { see: 'everything' };
    if (rule.see === 'nothing')
      return { see: 'nothing', why: 'A row rule of the report says that you see nothing of it.' };
    const missing = claimsOf(rule.see).filter((claim) => valuesOf(identity, claim).length === 0);
    if (missing.length === 0)
      return { see: 'some', where: rule.see.map((condition) => filterOf(condition, identity)) };
    if (isForSomeone(rule)) return { see: 'nothing', why: lacking(missing) };
  }
  return { see: 'nothing', why: whatWouldDo(report.rows) };
}

function isForSomeone({ roles, when }: RowRule): boolean {
  return roles !== null || Object.keys(when).length > 0;
}

function isAbout({ roles, when }: RowRule, identity: ReportIdentity): boolean {
  return (
    (roles === null || roles.some((role) => identity.roles.includes(role))) &&
    Object.entries(when).every(([claim, allowed]) =>
      valuesOf(identity, claim).some((value) => allowed.includes(value)),
    )
  );
}

function claimsOf(conditions: readonly RowCondition[]): string[] {
  return conditions.flatMap((each) => ('claim' in each ? each.claim : []));
}

function filterOf(condition: RowCondition, identity: ReportIdentity): RowFilter {
  const values = 'claim' in condition ? valuesOf(identity, condition.claim) : condition.is;
  return { column: condition.column, values: [...new Set(values)].toSorted() };
}

function lacking(claims: readonly string[]): string {
  return `Which rows you see depends on the claim "${claims.join('" and "')}", which your token does not have. Ask whoever gives out roles for it.`;
}

/** Names roles and claims, which are no secret, and no values. */
function whatWouldDo(rules: readonly RowRule[]): string {
  const roles = [...new Set(rules.flatMap((rule) => rule.roles ?? []))];
  const claims = [
    ...new Set(
      rules.flatMap(({ see, when }) => [
        ...(typeof see === 'string' ? [] : claimsOf(see)),
        ...Object.keys(when),
      ]),
    ),
  ];
  const ways = [
    ...(roles.length > 0 ? [`the role ${either(roles)}`] : []),
    ...(claims.length > 0 ? [`the claim ${either(claims)}`] : []),
  ];
  return `No row rule of the report is about you, so you would see nothing. It takes ${either(ways)}.`;
}
