import type { Column, Notes, Row, Writer } from '../types.ts';
import { headerRow, rowWriter } from './cells.ts';
import { openWorkbook, PIECE, type XlsxOptions, type XlsxState } from './workbook.ts';

export function createXlsx(
  columns: readonly Column[],
  options: XlsxOptions,
  notes: Notes,
  from: XlsxState | null,
): Writer<XlsxState> {
  const header = () => headerRow(columns, notes);
  const book = openWorkbook({ columns, header, options, from });
  const rowXml = rowWriter(columns, notes);

  function* write(rows: readonly Row[]): Iterable<Uint8Array> {
    let xml = '';
    let taken = 0;
    for (const row of rows) {
      if (xml.length >= PIECE || book.room() === taken) {
        if (taken > 0) yield* book.segment(Buffer.from(xml), taken);
        xml = '';
        taken = 0;
      }
      if (book.room() === 0) yield* book.nextSheet();
      xml += rowXml(row, book.rows() + taken + 1);
      taken++;
    }
    if (taken > 0) yield* book.segment(Buffer.from(xml), taken);
  }

  return { begin: book.begin, write, end: book.end, state: book.state };
}
