import pg from 'pg';
import type { Database, Param, Statement } from '../src/database.ts';

type Asked = Statement & { readonly params: readonly Param[] };

export interface Recorded {
  readonly database: Database;
  last(): Asked;
  /** All since so many had been asked. */
  since(count: number): readonly Asked[];
  count(): number;
}

/** A database that remembers what it was asked. */
export function recordStatements(database: Database): Recorded {
  const asked: Asked[] = [];
  return {
    database: {
      ...database,
      query(statement, params) {
        asked.push({ ...statement, params });
        return database.query(statement, params);
      },
    },
    last() {
      const last = asked.at(-1);
      if (last === undefined) throw new Error('The database was not asked anything.');
      return last;
    },
    since: (count) => asked.slice(count),
    count: () => asked.length,
  };
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/**
 * How many rows of a table a statement looks at, found or not, under the plan that the store's connections use: the one
 * made without knowing the values, which plain EXPLAIN would not show.
 */
export async function rowsRead(
  client: pg.Client,
  { text, params }: Asked,
  table: string,
): Promise<number> {
  await client.query(`PREPARE looked_at AS ${text}`);
  const values = params.map((value) => (value === null ? 'NULL' : pg.escapeLiteral(String(value))));
  const execute = `EXECUTE looked_at${values.length > 0 ? `(${values.join()})` : ''}`;
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`,
  );
  await client.query('DEALLOCATE looked_at');
  return (rows[0]?.['QUERY PLAN'] ?? []).reduce((sum, { Plan }) => sum + rowsOf(Plan, table), 0);
}

function rowsOf(plan: Plan, table: string): number {
  const own =
    plan['Relation Name'] === table
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return (plan.Plans ?? []).reduce((sum, each) => sum + rowsOf(each, table), own);
}
