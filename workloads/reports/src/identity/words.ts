import { either } from '@millrace/workload-kit';
import type { RowCondition, RowDecision, RowRule } from './types.ts';

/** Who sees which rows, rule by rule, as the file of a report says it. The first rule that is about someone decides. */
export function rulesInWords(rules: readonly RowRule[]): string[] {
  return rules.map((rule) => `${whoInWords(rule)}: ${rowsInWords(rule.see)}.`);
}

/** What one person sees. */
export function decisionInWords(decision: RowDecision): string {
  if (decision.see === 'everything') return 'All rows.';
  if (decision.see === 'nothing') return `No rows. ${decision.why}`;
  const where = decision.where.map(({ column, values }) => `${column} is ${either(values)}`);
  return `Rows whose ${where.join(' and whose ')}.`;
}

function whoInWords({ roles, when, see }: RowRule): string {
  const claims = typeof see === 'string' ? [] : see.flatMap((each) => claimOf(each));
  const parts = [
    ...(roles === null ? [] : [`the role ${either(roles)}`]),
    ...Object.entries(when).map(([claim, values]) => `the claim "${claim}" of ${either(values)}`),
  ];
  if (parts.length > 0) return `With ${parts.join(' and ')}`;
  if (claims.length > 0) return `With the claim ${claims.map((each) => `"${each}"`).join(' and ')}`;
  return 'Everybody else';
}

function rowsInWords(see: RowRule['see']): string {
  if (see === 'all') return 'all rows';
  if (see === 'nothing') return 'no rows';
  return `rows whose ${see.map(conditionInWords).join(' and whose ')}`;
}

function conditionInWords(condition: RowCondition): string {
  return 'claim' in condition
    ? `${condition.column} is in the claim "${condition.claim}"`
    : `${condition.column} is ${either(condition.is)}`;
}

function claimOf(condition: RowCondition): string[] {
  return 'claim' in condition ? [condition.claim] : [];
}
