import type { RowPage } from '@millrace/marketing-cloud';
import { type Row, createTable } from '@millrace/tables';
import type { ResultPage } from '../contract/results.ts';
import type { RunColumn } from '../runs/query-run.ts';
import { isoDate } from './dates.ts';

/** The rows of a rowset in the order of the columns. A rowset has its names in lower case. */
export function rowsOf(columns: readonly RunColumn[], { rows }: Pick<RowPage, 'rows'>): Row[] {
  const readers = columns.map(({ name, type }) => ({
    key: name.toLowerCase(),
    read: type === 'date' ? isoDate : (text: string) => text,
  }));
  return rows.map((row) =>
    readers.map(({ key, read }) => {
      // A column may be called `constructor`, which every object has.
      const text = Object.hasOwn(row, key) ? row[key] : null;
      return text == null ? null : read(text);
    }),
  );
}

/** Of runs whose columns nobody has written down: those of their first row, as text. */
export function columnsOf({ rows }: Pick<RowPage, 'rows'>): RunColumn[] {
  return Object.keys(rows[0] ?? {}).map((name) => ({ name, type: 'text' }));
}

/** Typed as in the JSON Lines of the same run, since they are made by the same. */
export function jsonRows(columns: readonly RunColumn[], rows: readonly Row[]): ResultPage['rows'] {
  if (columns.length === 0) return [];
  const lines = Buffer.concat(createTable({ format: 'jsonl', columns }).write(rows)).toString();
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ResultPage['rows'][number]);
}
