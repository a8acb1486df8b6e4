import { either } from '@millrace/workload-kit';
import type { RowCondition, RowDecision, RowRule } from './types.ts';

/** Row rules for people, one sentence each. */
export function rowRulesInWords(report: {
  readonly public: boolean;
  readonly rows: readonly RowRule[];
}): string[] {
  if (report.public) return ['Everyone: all rows.'];
  return report.rows.map((rule) => `${whoInWords(rule)}: ${seenInWords(rule.see)}.`);
}

function whoInWords({ roles, when, see }: RowRule): string {
  const asked = [
    ...(roles === null ? [] : [`with the role ${either(roles)}`]),
    ...Object.entries(when).map(([claim, values]) => `with the claim ${claim} ${either(values)}`),
  ];
  if (asked.length > 0) return capital(asked.join(' and '));
  const claims =
    typeof see === 'string' ? [] : see.flatMap((each) => ('claim' in each ? each.claim : []));
  return claims.length === 0 ? 'Everyone else' : `Else, with the claim ${claims.join(' and ')}`;
}

function seenInWords(see: RowRule['see']): string {
  if (see === 'all') return 'all rows';
  if (see === 'nothing') return 'no rows';
  return `rows whose ${see.map(conditionInWords).join(' and whose ')}`;
}

function conditionInWords(condition: RowCondition): string {
  return 'claim' in condition
    ? `${condition.column} is in that claim`
    : `${condition.column} is ${either(condition.is)}`;
}

const MOST_NAMED = 10;

/** What someone would see. */
export function decisionInWords(decision: RowDecision): string {
  if (decision.see === 'everything') return 'All rows.';
  if (decision.see === 'nothing') return decision.why;
  const conditions = decision.where.map(({ column, values }) => {
    const more = values.length - MOST_NAMED;
    const few = more > 0 ? [...values.slice(0, MOST_NAMED), `${more} more`] : values;
    return `${column} is ${either(few)}`;
  });
  return `Rows whose ${conditions.join(' and whose ')}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
