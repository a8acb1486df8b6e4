import { SourceError, bindNames, outermostOrder } from '@millrace/sql-source';
import { type Complain, small } from '@millrace/workload-kit';
import { namesOf, typesOf } from '../parameters/bind.ts';
import type { RowRule } from '../identity/types.ts';
import type { Parameter } from '../parameters/types.ts';
import { rowsInside } from '../sql/rows-inside.ts';

interface CheckedFile {
  readonly sql: string;
  readonly key: readonly string[];
  readonly rows: readonly RowRule[];
  readonly totals?: string | undefined;
}

export function checkSql(
  file: CheckedFile,
  parameters: readonly Parameter[],
  elsewhere: readonly string[],
  complain: Complain,
): void {
  if (!checkNames(file.sql, parameters, elsewhere, complain)) return;
  checkOrder(file.sql, file.key, complain);
  checkRules(file, complain);
}

/** What is computed of several rows has to be computed of those that the reader sees. */
function checkRules({ sql, rows, totals }: CheckedFile, complain: Complain): void {
  if (totals === 'all rows') return;
  const columns = new Set(
    rows.flatMap(({ see }) => (typeof see === 'string' ? [] : see.map(({ column }) => column))),
  );
  const rules = [...columns].map((column) => ({ column, condition: () => 'TRUE' }));
  const placed = rowsInside(sql, rules);
  if ('problem' in placed)
    complain(['sql'], small(placed.problem.message), { within: placed.problem.at });
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
