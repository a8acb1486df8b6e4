import { JobFailure } from '@millrace/engine';
import { type PlanNode, type Reading, SourceError } from '@millrace/sql-source';
import { MissingColumn, RULE_SETTING, rowSql } from '../identity/row-sql.ts';
import type { RowSql } from '../identity/types.ts';
import { isBuiltInAggregate } from '../sql/aggregates.ts';
import { identifier, literal } from '../sql/quote.ts';
import { rowsInside, tablesIn } from '../sql/rows-inside.ts';
import type { Prepared } from './prepare.ts';

/** Which rows the identity of the job may see, as a condition on what the SQL gives. */
export function rowsOfIdentity(
  { decision }: Pick<Prepared, 'decision'>,
  types: ReadonlyMap<string, string>,
): RowSql {
  try {
    return rowSql(decision, (column) => types.get(column) ?? null);
  } catch (error) {
    if (!(error instanceof MissingColumn)) throw error;
    throw new JobFailure('source_refused', error.message, { retryable: false });
  }
}

const AGGREGATES =
  'SELECT DISTINCT f.proname FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = f.oid';

/**
 * The SQL with the rules inside, where it computes something of several rows. Files are checked for that when they are loaded; the
 * database knows aggregates of its own besides, and whether the names in the rules mean one column.
 */
export async function withRules(
  reading: Reading,
  sql: string,
  rules: RowSql['inside'],
): Promise<string> {
  if (rules.length === 0) return sql;
  const [hidden] = await reading.aggregatesByPoint(sql);
  if (hidden !== undefined)
    throw refused(
      `The SQL calls the aggregate ${hidden.name}() in the notation of a column (at character ${hidden.position + 1}), where the row rules cannot come before it. Write it as ${hidden.name}(…).`,
    );
  const aggregates = new Set((await reading.rows(AGGREGATES)).map(([name]) => name));
  const isAggregate = (name: string) => aggregates.has(name) || isBuiltInAggregate(name);
  const placed = rowsInside(sql, rules, isAggregate);
  if ('problem' in placed) throw refused(placed.problem.message);
  await checkViews(reading, sql, rules);
  if (placed.sql === sql) return sql;
  try {
    await reading.describe(placed.sql);
  } catch (error) {
    if (!(error instanceof SourceError) || error.retryable) throw error;
    throw refused(
      `The row rules have to be put inside the SQL, since it computes something of several rows, and the database refuses that (${error.message}) Write each column of a rule with its table, as in t.county_id, or \`totals: all rows\` in the file if everyone may see what is computed of all rows.`,
    );
  }
  return placed.sql;
}

/**
 * What a view computes has to be of the rows that a rule leaves: where the planner takes the rule below it, as into a view that groups by
 * the rule's column.
 */
async function checkViews(reading: Reading, sql: string, rules: RowSql['inside']): Promise<void> {
  const tables = tablesIn(sql);
  if (tables.length === 0) return;
  const columns = rules.map(({ column }) => literal(column)).join(', ');
  const views = await reading.rows(`
SELECT DISTINCT t.name, a.attname
  FROM unnest(ARRAY[${tables.map(literal).join(', ')}]) AS t (name)
  JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(t.name) AND c.relkind = 'v'
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = ANY (ARRAY[${columns}]::name[])`);
  for (const view of new Set(views.map(([name]) => name ?? '')))
    for (const { column, condition } of rules) {
      const has = views.some(([name, attribute]) => name === view && attribute === column);
      const where = has ? condition(identifier(column)) : 'TRUE';
      const plan = await reading.explain(`SELECT * FROM ${view} WHERE ${where}`);
      if (where !== 'FALSE' && computesBefore(plan))
        throw refused(
          `The view ${view} computes something of several rows, also of those that the row rule on ${column} hides. Have it group by ${column}, write its SELECT into the report, or write \`totals: all rows\` if everyone may see what is computed of all rows.`,
        );
    }
}

const COMPUTING = ['Aggregate', 'WindowAgg', 'Limit', 'Unique', 'Group'];

/** Somewhere in the plan, without a rule below it. A LIMIT for each row is a lookup of that row's own. */
function computesBefore(plan: PlanNode): boolean {
  const isLookup = plan['Node Type'] === 'Limit' && plan['Parent Relationship'] === 'SubPlan';
  if (COMPUTING.includes(plan['Node Type']) && !isLookup && !hasRule(plan)) return true;
  return (plan.Plans ?? []).some(computesBefore);
}

function hasRule(plan: PlanNode): boolean {
  const isHere = Object.values(plan).some(
    (value) => typeof value === 'string' && value.includes(`'${RULE_SETTING}`),
  );
  return isHere || (plan.Plans ?? []).some(hasRule);
}

function refused(message: string): JobFailure {
  return new JobFailure('totals_refused', message, { retryable: false });
}
