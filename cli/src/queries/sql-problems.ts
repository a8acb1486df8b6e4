import type { SqlReport } from '@millrace/queries/contract';
import { ApiError } from '@millrace/api';
import type { Context } from '../context.ts';
import { isUnreachable } from '../failure.ts';
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

/**
 * What the SQL may not mean as it stands, as Marketing Cloud warns of it. A query that runs must not fail by it: where the server has
 * no answer, nothing is said.
 */
export async function showSqlWarnings(
  { client, err, json, quiet }: Context,
  sql: string,
  mid: string | undefined,
): Promise<void> {
  if (json || quiet) return;
  try {
    const body = { sql, askMarketingCloud: false, ...(mid !== undefined && { mid }) };
    writeSqlProblems(err, sql, await client.validateSql({ body }));
  } catch (thrown) {
    if (!(thrown instanceof ApiError) && !isUnreachable(thrown)) throw thrown;
  }
}

export function writeSqlProblems(screen: Screen, sql: string, { problems }: SqlReport): void {
  for (const problem of problems)
    for (const line of sqlProblemLines(problem, sql, screen.columns, screen.paint))
      screen.line(line);
}
