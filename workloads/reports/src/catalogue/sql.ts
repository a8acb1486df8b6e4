import { SourceError, bindNames } from '@millrace/sql-source';
import { type Complain, small } from '@millrace/workload-kit';
import { namesOf, typesOf } from '../parameters/bind.ts';
import type { Parameter } from '../parameters/types.ts';

/**
 * Names that the SQL uses and the file does not declare, and the other way round: whoever fills in a parameter that nothing
 * reads would believe the file to be about it. `elsewhere`: parameters that the name of the file has.
 */
export function checkSql(
  sql: string,
  parameters: readonly Parameter[],
  elsewhere: readonly string[],
  complain: Complain,
): void {
  let used: readonly string[];
  try {
    used = bindNames(sql, typesOf(parameters), () => false).names;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    complain(['sql'], small(error.message), { within: error.position ?? 0 });
    return;
  }
  for (const parameter of parameters) {
    const names = namesOf(parameter);
    if (elsewhere.includes(parameter.name) || names.some((name) => used.includes(name))) continue;
    const written = names.map((name) => `:${name}`).join(' and ');
    complain(
      ['parameters', parameter.name],
      `the SQL does not use it. Write ${written} there, or remove the parameter.`,
      {
        atKey: true,
      },
    );
  }
}
