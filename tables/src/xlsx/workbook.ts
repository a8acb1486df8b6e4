// A workbook written from front to back: the sheets first, one after the other, and at the end, when their number is
// known, the files that list them. Strings are inline: a table of shared ones would have to be in memory until the end.
// docs/decisions/0020 has what else was weighed.

import {
  type ZipRecord,
  descriptor,
  directoryEnd,
  directoryEntry,
  localHeader,
} from '@millrace/zip';
import { deflate, finishDeflate, NO_SUMS, type Sums } from '../deflate.ts';
import { TableError } from '../errors.ts';
import type { Column, Notes, Row, Writer } from '../columns.ts';
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
} from './files.ts';

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

export interface XlsxOptions {
  /** The name of the sheet, and of those that it goes on in: `Orders`, `Orders 2`. */
  readonly sheetName?: string;
}

export interface XlsxState {
  /** Bytes so far. */
  readonly offset: number;
  /** Files that are finished. */
  readonly entries: readonly PlacedRecord[];
  readonly sheet: OpenSheet | null;
}

interface PlacedRecord extends ZipRecord {
  /** Where it begins. */
  readonly offset: number;
}

interface OpenSheet extends Sums {
  readonly number: number;
  readonly offset: number;
  /** Rows so far, the header included. */
  readonly rows: number;
}

interface Workbook {
  begin(): Iterable<Uint8Array>;
  /** The rows of the open sheet, the header included. */
  rows(): number;
  /** How many more the open sheet takes; none, and `nextSheet` is due. */
  room(): number;
  nextSheet(): Iterable<Uint8Array>;
  /** Whole rows, as XML: a piece of the open sheet. */
  segment(xml: Uint8Array, rows: number): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
  state(): XlsxState;
}

interface WorkbookParams {
  readonly columns: readonly Column[];
  /** XML of the first row of each sheet. */
  readonly header: () => string;
  readonly options: XlsxOptions;
  readonly from: XlsxState | null;
}

export const SHEET_ROWS = 1_048_576;
const SHEET_COLUMNS = 16_384;
/** Below 4 GiB by more than a piece, so that no sheet needs ZIP64, which not every reader has. */
const SHEET_BYTES = 0xf0000000;
/** About 10 ms of work, deflate included. */
export const PIECE = 512 * 1024;
const DEFLATED = 8 as const;

/** A sheet's sums follow its bytes: they are known when it is closed. */
function record(sheet: number) {
  return { name: sheetFile(sheet), method: DEFLATED, isStreamed: true } as const;
}

export function openWorkbook({ columns, header, options, from }: WorkbookParams): Workbook {
  if (columns.length > SHEET_COLUMNS) {
    throw new TableError(
      'bad_columns',
      `A sheet has at most ${SHEET_COLUMNS} columns, and this table has ${columns.length}. Choose another format.`,
    );
  }
  let offset = from?.offset ?? 0;
  const entries: PlacedRecord[] = [...(from?.entries ?? [])];
  let sheet: OpenSheet | null = from?.sheet ?? null;

  function placed(bytes: Uint8Array): Uint8Array {
    offset += bytes.length;
    return bytes;
  }

  function openedSheet(): OpenSheet {
    if (sheet === null) throw new Error('no sheet is open');
    return sheet;
  }

  function* file(name: string, text: string): Iterable<Uint8Array> {
    const at = offset;
    const body = deflate(Buffer.from(text), NO_SUMS);
    const end = finishDeflate(body.sums);
    const entry = { ...end.sums, name, method: DEFLATED };
    yield placed(localHeader(entry));
    yield placed(body.bytes);
    yield placed(end.bytes);
    entries.push({ ...entry, offset: at });
  }

  function* openSheet(number: number): Iterable<Uint8Array> {
    sheet = { ...NO_SUMS, number, offset, rows: 1 };
    yield placed(localHeader({ ...NO_SUMS, ...record(number) }));
    yield* segment(Buffer.from(sheetStart(columns, number) + header()), 0);
  }

  function* segment(xml: Uint8Array, rows: number): Iterable<Uint8Array> {
    const open = openedSheet();
    const { bytes, sums } = deflate(xml, open);
    sheet = { ...open, ...sums, rows: open.rows + rows };
    yield placed(bytes);
  }

  function* closeSheet(): Iterable<Uint8Array> {
    yield* segment(Buffer.from(sheetEnd()), 0);
    const { number, offset: at, ...before } = openedSheet();
    const { bytes, sums } = finishDeflate(before);
    yield placed(bytes);
    yield placed(descriptor(sums));
    const { crc, size, packedSize } = sums;
    entries.push({ ...record(number), crc, size, packedSize, offset: at });
    sheet = null;
  }

  return {
    *begin() {
      yield* file('_rels/.rels', rootRelations());
      yield* file('xl/styles.xml', styles());
      yield* openSheet(1);
    },
    rows: () => openedSheet().rows,
    room: () => {
      const { rows, size } = openedSheet();
      return size > SHEET_BYTES ? 0 : SHEET_ROWS - rows;
    },
    *nextSheet() {
      const next = openedSheet().number + 1;
      yield* closeSheet();
      yield* openSheet(next);
    },
    segment,
    *end() {
      const sheets = openedSheet().number;
      yield* closeSheet();
      const name = options.sheetName ?? 'Sheet';
      const names = Array.from({ length: sheets }, (_, i) =>
        escaped(sheetName(name, i + 1)).replaceAll('"', '&quot;'),
      );
      yield* file('xl/workbook.xml', workbook(names));
      yield* file('xl/_rels/workbook.xml.rels', workbookRelations(sheets));
      yield* file('[Content_Types].xml', contentTypes(sheets));
      const list = Buffer.concat(entries.map((entry) => directoryEntry(entry, entry.offset)));
      const place = { entries: entries.length, size: list.length, offset };
      yield placed(Buffer.concat([list, directoryEnd(place)]));
    },
    state: () => ({ offset, entries: [...entries], sheet }),
  };
}
