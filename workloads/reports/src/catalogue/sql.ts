import { SourceError, bindNames, outermostOrder } from '@millrace/sql-source';
import { type Complain, small } from '@millrace/workload-kit';
import { namesOf, typesOf } from '../parameters/bind.ts';
import type { Parameter } from '../parameters/types.ts';

export function checkSql(
  { sql, key }: { readonly sql: string; readonly key: readonly string[] },
  parameters: readonly Parameter[],
  elsewhere: readonly string[],
  complain: Complain,
): void {
  if (checkNames(sql, parameters, elsewhere, complain)) checkOrder(sql, key, complain);
}

/** The rows come in the order of the key: another one would be dropped without a word. */
function checkOrder(sql: string, key: readonly string[], complain: Complain): void {
  const order = outermostOrder(sql);
  if (order === null) return;
  const { names, from } = order;
  if (names !== null && names.every((name, at) => name === key[at])) return;
  complain(
    ['sql'],
    `the rows of a report come in the order of its key (${key.join(', ')}), and this ORDER BY would have no effect. Remove it, or begin the key with its columns.`,
    { within: from },
  );
}

/**
 * Names that the SQL uses and the file does not declare, and the other way round: whoever fills in a parameter that nothing
 * reads would believe the file to be about it. `elsewhere`: parameters that the name of the file has. False: the SQL cannot be read.
 */
function checkNames(
  sql: string,
  parameters: readonly Parameter[],
  elsewhere: readonly string[],
  complain: Complain,
): boolean {
  let used: readonly string[];
  try {
    used = bindNames(sql, typesOf(parameters), () => false).names;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    complain(['sql'], small(error.message), { within: error.position ?? 0 });
    return false;
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
  return true;
}
