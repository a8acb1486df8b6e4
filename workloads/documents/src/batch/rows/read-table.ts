import { canonicalLocale } from '@millrace/docx';
import { MOST_SHOWN, MOST_SHOWN_BYTES, type TableRead } from '../../contract/rows.ts';
import { DocumentError } from '../../errors.ts';
import { follow } from '../../one/names.ts';
import type { Cell, Row } from './row.ts';
import { type RowSource, openRows } from './rows.ts';
import { type Field, fieldsOf } from './table.ts';

/** As many as a batch may have. */
const MOST_ROWS = 100_000;

/** A spreadsheet to be looked at before a batch is made of it, read by what reads batches. */
export async function readTable(
  source: RowSource,
  dataLocale: string | undefined,
): Promise<TableRead> {
  const opened = await openRows(source, canonicalLocale(dataLocale ?? 'en-US') ?? 'en-US');
  try {
    const { columns } = opened;
    if (columns === null) throw new DocumentError('invalid_rows', 'The upload is no spreadsheet.');
    const fields = fieldsOf(columns);
    const filled = columns.map(() => 0);
    const rows: TableRead['rows'] = [];
    let total = 0;
    // From the first row that has no room, none is shown: those that are shown follow each other.
    let isShown = true;
    let bytes = 0;
    for await (const row of opened.rows) {
      total += 1;
      if (total > MOST_ROWS)
        throw new DocumentError(
          'too_many_rows',
          `A batch has at most ${MOST_ROWS} rows. Split it into several.`,
        );
      const cells = cellsOf(row, columns, fields);
      for (const [index, cell] of cells.entries())
        if (String(cell).trim() !== '') filled[index] = (filled[index] ?? 0) + 1;
      if (isShown) {
        const shown = { line: row.line, cells, error: 'error' in row ? row.error : null };
        bytes += Buffer.byteLength(JSON.stringify(shown));
        isShown = rows.length < MOST_SHOWN && bytes <= MOST_SHOWN_BYTES;
        if (isShown) rows.push(shown);
      }
    }
    const { format, encoding, sheet, blank } = opened.facts();
    return {
      format: format === 'xlsx' ? 'xlsx' : 'csv',
      encoding: encoding ?? null,
      sheet: sheet ?? null,
      columns: columns.map((name, index) => ({ name, filled: filled[index] ?? 0 })),
      rows,
      total,
      blank,
    };
  } finally {
    await opened.close();
  }
}

function cellsOf(row: Row, columns: readonly string[], fields: readonly Field[]): Cell[] {
  const cells: Cell[] = columns.map(() => '');
  const data = 'data' in row ? row.data : row.placed;
  for (const { index, path } of fields) cells[index] = (follow(data, path) ?? '') as Cell;
  return cells;
}
