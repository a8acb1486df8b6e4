// A workbook written from front to back: the sheets first, one after the other, and at the end, when their number is
// known, the files that list them. Strings are inline: a table of shared ones would have to be in memory until the end.
// docs/decisions/0020 has what else was weighed.

import { deflate, finishDeflate, NO_SUMS, type Sums } from '../deflate.ts';
import { TableError } from '../errors.ts';
import type { Column, Notes, Row, Writer } from '../types.ts';
import { escaped, headerRow, rowWriter } from './cells.ts';
import {
  contentTypes,
  rootRelations,
  sheetEnd,
  sheetFile,
  sheetName,
  sheetStart,
  styles,
  workbook,
  workbookRelations,
} from './parts.ts';
import { descriptor, directory, localHeader, type ZipEntry } from './zip.ts';

export interface XlsxOptions {
  /** The name of the sheet, and of those that it goes on in: `Orders`, `Orders 2`. */
  readonly sheetName?: string;
}

export interface XlsxState {
  /** Bytes so far. */
  readonly offset: number;
  /** Files that are finished. */
  readonly entries: readonly ZipEntry[];
  readonly sheet: OpenSheet | null;
}

interface OpenSheet extends Sums {
  readonly number: number;
  readonly offset: number;
  /** Rows so far, the header included. */
  readonly rows: number;
}

export const SHEET_ROWS = 1_048_576;
const SHEET_COLUMNS = 16_384;
/** Below 4 GiB by more than a piece, so that no sheet needs ZIP64, which not every reader has. */
const SHEET_BYTES = 0xf0000000;
/** About 10 ms of work, deflate included. */
const PIECE = 512 * 1024;

export function createXlsx(
  columns: readonly Column[],
  options: XlsxOptions,
  notes: Notes,
  from: XlsxState | null,
): Writer<XlsxState> {
  if (columns.length > SHEET_COLUMNS) {
    throw new TableError(
      'bad_columns',
      `A sheet has at most ${SHEET_COLUMNS} columns, and this table has ${columns.length}. Choose another format.`,
    );
  }
  const rowXml = rowWriter(columns, notes);
  let offset = from?.offset ?? 0;
  const entries: ZipEntry[] = [...(from?.entries ?? [])];
  let sheet: OpenSheet | null = from?.sheet ?? null;

  function placed(bytes: Uint8Array): Uint8Array {
    offset += bytes.length;
    return bytes;
  }

  function* file(name: string, text: string): Iterable<Uint8Array> {
    const at = offset;
    const body = deflate(Buffer.from(text), NO_SUMS);
    const end = finishDeflate(body.sums);
    const entry = { ...end.sums, name, isStreamed: false };
    yield placed(localHeader(entry));
    yield placed(body.bytes);
    yield placed(end.bytes);
    entries.push({ ...entry, offset: at });
  }

  function* openSheet(number: number): Iterable<Uint8Array> {
    sheet = { ...NO_SUMS, number, offset, rows: 1 };
    yield placed(localHeader({ ...NO_SUMS, name: sheetFile(number), isStreamed: true }));
    yield* segment(sheetStart(columns, number) + headerRow(columns, notes), 0);
  }

  function* segment(xml: string, rows: number): Iterable<Uint8Array> {
    if (sheet === null) throw new Error('no sheet is open');
    const { bytes, sums } = deflate(Buffer.from(xml), sheet);
    sheet = { ...sheet, ...sums, rows: sheet.rows + rows };
    yield placed(bytes);
  }

  function* closeSheet(): Iterable<Uint8Array> {
    if (sheet === null) return;
    yield* segment(sheetEnd(), 0);
    const { bytes, sums } = finishDeflate(sheet);
    yield placed(bytes);
    yield placed(descriptor(sums));
    entries.push({
      ...sums,
      name: sheetFile(sheet.number),
      offset: sheet.offset,
      isStreamed: true,
    });
  }

  function* write(rows: readonly Row[]): Iterable<Uint8Array> {
    let xml = '';
    let taken = 0;
    for (const row of rows) {
      if (sheet === null) throw new Error('no sheet is open');
      const isFull = sheet.rows + taken === SHEET_ROWS || sheet.size > SHEET_BYTES;
      if (isFull || xml.length >= PIECE) {
        if (taken > 0) yield* segment(xml, taken);
        xml = '';
        taken = 0;
      }
      if (isFull) {
        const next: number = sheet.number + 1;
        yield* closeSheet();
        yield* openSheet(next);
      }
      xml += rowXml(row, sheet.rows + taken + 1);
      taken++;
    }
    if (taken > 0) yield* segment(xml, taken);
  }

  return {
    *begin() {
      yield* file('_rels/.rels', rootRelations());
      yield* file('xl/styles.xml', styles());
      yield* openSheet(1);
    },
    write,
    *end() {
      const sheets = sheet?.number ?? 1;
      yield* closeSheet();
      sheet = null;
      const name = options.sheetName ?? 'Sheet';
      const names = Array.from({ length: sheets }, (_, i) =>
        escaped(sheetName(name, i + 1)).replaceAll('"', '&quot;'),
      );
      yield* file('xl/workbook.xml', workbook(names));
      yield* file('xl/_rels/workbook.xml.rels', workbookRelations(sheets));
      yield* file('[Content_Types].xml', contentTypes(sheets));
      yield placed(directory(entries, offset));
    },
    state: () => ({ offset, entries: [...entries], sheet }),
  };
}
