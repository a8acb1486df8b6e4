import { type SqlSource, bindNames } from '@millrace/sql-source';
import { MissingColumn, rowSql } from '../identity/row-sql.ts';
import type { RowDecision } from '../identity/types.ts';

export interface Suggestions {
  readonly values: { value: string; label: string }[];
  readonly more: boolean;
}

const NONE: Suggestions = { values: [], more: false };
const MOST = 1_000;
/** Somebody has a form open, and looks at it. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Values to choose from: the first column of the SQL, which the second is a label for. Whoever sees some rows of the report gets those of
 * the same rules; where the SQL does not give their columns, nobody could say which those are, and there are none.
 */
export async function suggestionsOf(
  source: SqlSource,
  sql: string,
  decision: RowDecision,
): Promise<Suggestions> {
  if (decision.see === 'nothing') return NONE;
  const { text } = bindNames(sql, {}, () => false);
  const reading = await source.begin({
    statementTimeoutMs: ANSWER_WITHIN_MS,
    applicationName: 'millrace suggestions',
  });
  try {
    const columns = await reading.describe(text);
    const types = new Map(columns.map(({ name, type }) => [name, type]));
    const { where, bind } = rowSql(decision, (column) => types.get(column) ?? null);
    await reading.set(bind);
    const condition = where === null ? '' : ` WHERE ${where}`;
    const rows = await reading.rows(
      `SELECT * FROM (${text}\n) AS suggested${condition} LIMIT ${MOST + 1}`,
    );
    const labels = new Map(
      rows
        .slice(0, MOST)
        .flatMap(([value, label]) => (value == null ? [] : [[value, label] as const])),
    );
    return {
      values: [...labels].map(([value, label]) => ({ value, label: label ?? value })),
      more: rows.length > MOST,
    };
  } catch (error) {
    if (error instanceof MissingColumn) return NONE;
    throw error;
  } finally {
    await reading.end();
  }
}
