import type { SqlReport } from '@millrace/queries/contract';
import type { Context } from '../context.ts';
import type { Screen } from '../terminal/screen.ts';
import { sqlProblemLines } from './render/sql-problem.ts';

/** The server refused the SQL in a sentence: asks for the places too. False where there is nothing more to show. */
export async function showSqlProblems(
  { client, err }: Context,
  sql: string,
  mid: string | undefined,
): Promise<boolean> {
  const report = await client.validateSql({ body: { sql, ...(mid !== undefined && { mid }) } });
  writeSqlProblems(err, sql, report);
  return !report.valid;
}

export function writeSqlProblems(screen: Screen, sql: string, { problems }: SqlReport): void {
  for (const problem of problems)
    for (const line of sqlProblemLines(problem, sql, screen.columns, screen.paint))
      screen.line(line);
}
