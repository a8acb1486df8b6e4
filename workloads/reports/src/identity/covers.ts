import type { RowDecision } from './types.ts';

/**
 * Whether someone who is shown the rows of `seen` may have a file that was made with `made`: the file of another county's report
 * must not reach them as a download, whoever may see the job. Both are decisions about the same report.
 */
export function covers(seen: RowDecision, made: RowDecision): boolean {
  if (seen.see === 'everything' || made.see === 'nothing') return true;
  if (seen.see === 'nothing' || made.see === 'everything') return false;
  return seen.where.every(({ column, values }) =>
    made.where.some(
      (other) => other.column === column && other.values.every((value) => values.includes(value)),
    ),
  );
}
