import type { SqlProblem, SqlReport } from '@millrace/queries/contract';
import { ApiError } from '@millrace/api';
import type { Context } from '../context.ts';
import { isUnreachable } from '../failure.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Paint } from '../render/colour.ts';
import { clean, cut, widthOf } from '../render/width.ts';

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

/** So much of a long line is shown before the place. */
const BEFORE = 30;

/**
 * The sentence, the line of the SQL, and a caret under the place:
 *
 *     error: There is no column "Emial". Did you mean "Email"? (line 2, column 8)
 *       2 | SELECT Emial
 *         |        ^
 */
function sqlProblemLines(
  { severity, message, line, column }: SqlProblem,
  sql: string,
  width: number,
  paint: Paint,
): string[] {
  const style = severity === 'error' ? 'red' : 'yellow';
  const head = `${paint(style, `${severity}:`)} ${clean(message)}`;
  const text = line === null ? undefined : sql.split(/\r\n|\n|\r/)[line - 1];
  if (line === null || text === undefined) return [head];
  const place = column === null ? `(line ${line})` : `(line ${line}, column ${column})`;
  const number = String(line);
  const margin = `  ${' '.repeat(number.length)} | `;
  const { shown, caret } = windowOf(text, column, width - margin.length);
  return [
    `${head} ${paint('dim', place)}`,
    `${paint('dim', `  ${number} | `)}${shown}`,
    ...(caret === null ? [] : [`${paint('dim', margin)}${' '.repeat(caret)}${paint(style, '^')}`]),
  ];
}

const segmenter = new Intl.Segmenter();

/** Its last characters, none of them halved. */
function endOf(text: string, characters: number): string {
  const all = Array.from(segmenter.segment(text), ({ segment }) => segment);
  return all.slice(-characters).join('');
}

/** The part of the line that fits and has the place in it; `caret` counts columns of the terminal. */
function windowOf(
  text: string,
  column: number | null,
  room: number,
): { shown: string; caret: number | null } {
  const index = column === null ? 0 : Math.max(0, column - 1);
  const before = clean(text.slice(0, index));
  const isLong = widthOf(clean(text)) > room && widthOf(before) > BEFORE;
  const from = isLong ? endOf(before, BEFORE) : before;
  const start = isLong ? `…${from}` : from;
  return {
    shown: cut(`${start}${clean(text.slice(index))}`, room),
    caret: column === null ? null : widthOf(start),
  };
}
