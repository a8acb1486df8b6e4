// One row group for each chunk. hyparquet-writer encodes one column at a time, each by a writer of its own, so that a
// server can do other work in between: 20,000 rows of 12 columns at once would take it a quarter of a second.
//
// With the least and the greatest value of each chunk, by which readers skip chunks; without indexes of pages, which are for
// searching in files larger than these. So what the footer needs of a column chunk is a few numbers and two short bounds, and
// the state stays small (docs/decisions/0020).

import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { TableError } from '../errors.ts';
import type { Column, Notes, Row, Writer } from '../columns.ts';
import { isMissing, textOf } from '../values.ts';
import { type Bounds, boundsOf, statisticsOf } from './bounds.ts';
import { elementOf, encodedElement, holds, storedAs, type Stored } from './schema.ts';

export interface ParquetState {
  /** Bytes so far. */
  readonly offset: number;
  readonly groups: readonly RowGroup[];
}

interface RowGroup {
  readonly rows: number;
  readonly chunks: readonly ColumnChunk[];
}

interface ColumnChunk extends Bounds {
  readonly start: number;
  /** Where its data pages begin: behind the dictionary, where it has one. */
  readonly pages: number;
  readonly size: number;
  /** Of the data pages; a dictionary is plain. */
  readonly encoding: Encoding;
}

type FooterGroup = ParquetWriter['row_groups'][number];
type FooterChunk = FooterGroup['columns'][number];
type Encoding = NonNullable<FooterChunk['meta_data']>['encodings'][number];

const CODEC = 'SNAPPY';
const SHOWN_CHARACTERS = 40;

export function createParquet(
  columns: readonly Column[],
  notes: Notes,
  from: ParquetState | null,
): Writer<ParquetState> {
  const leaves = columns.map((column) => ({
    column,
    element: elementOf(column),
    store: storedAs(column, notes),
  }));
  let offset = from?.offset ?? 0;
  const groups: RowGroup[] = [...(from?.groups ?? [])];

  function taken(writer: ByteWriter): Uint8Array {
    offset = writer.offset;
    return writer.getBytes();
  }

  function* write(rows: readonly Row[]): Iterable<Uint8Array> {
    if (rows.length === 0) return;
    const before = groups.reduce((sum, group) => sum + group.rows, 0);
    const chunks: ColumnChunk[] = [];
    for (const [i, { column, element, store }] of leaves.entries()) {
      const isText = column.type === 'text';
      const data = rows.map((row, at): Stored | null => {
        const value = row[i];
        if (isMissing(value, isText)) return null;
        const stored = store(value);
        if (stored === null) throw unfit(column, textOf(value), before + at + 1);
        return stored;
      });
      const { writer, parquet } = openAt(offset, [encodedElement(element)]);
      // Encoded at once: the library has asynchronous writers too.
      void parquet.write({
        columnData: [{ name: column.name, data, offsetIndex: false }],
        rowGroupSize: rows.length,
      });
      chunks.push(chunkOf(parquet, (found) => boundsOf(element, found, data)));
      yield taken(writer);
    }
    groups.push({ rows: rows.length, chunks });
  }

  return {
    *begin() {
      const writer = new ByteWriter();
      writer.appendBytes(Buffer.from('PAR1'));
      yield taken(writer);
    },
    write,
    *end() {
      const elements = leaves.map(({ element }) => element);
      const { writer, parquet } = openAt(offset, elements);
      parquet.row_groups = groups.map((group) => footerGroup(group, elements));
      parquet.num_rows = BigInt(groups.reduce((sum, group) => sum + group.rows, 0));
      void parquet.finish();
      yield taken(writer);
    },
    state: () => ({ offset, groups: [...groups] }),
  };
}

/** A writer that carries on at an offset: the bytes before it, and the mark that it begins with, are written already. */
function openAt(
  offset: number,
  elements: readonly SchemaElement[],
): { writer: ByteWriter; parquet: ParquetWriter } {
  const writer = new ByteWriter(64 * 1024);
  const root = { name: 'root', num_children: elements.length };
  const parquet = new ParquetWriter({
    writer,
    schema: [root, ...elements],
    codec: CODEC,
  });
  writer.offset = offset;
  writer.index = 0;
  return { writer, parquet };
}

function chunkOf(
  parquet: ParquetWriter,
  bounds: (found: Parameters<typeof boundsOf>[1]) => Bounds,
): ColumnChunk {
  const chunk = parquet.row_groups[0]?.columns[0];
  const encoding = chunk?.meta_data?.encodings.at(-1);
  if (chunk?.meta_data === undefined || encoding === undefined)
    throw new Error('hyparquet-writer wrote no column');
  return {
    start: Number(chunk.file_offset),
    pages: Number(chunk.meta_data.data_page_offset),
    size: Number(chunk.meta_data.total_compressed_size),
    encoding,
    ...bounds(chunk.meta_data.statistics),
  };
}

function footerGroup(group: RowGroup, elements: readonly SchemaElement[]): FooterGroup {
  return {
    num_rows: BigInt(group.rows),
    total_byte_size: BigInt(group.chunks.reduce((sum, { size }) => sum + size, 0)),
    columns: group.chunks.map((chunk, i) => footerChunk(chunk, group.rows, elements[i])),
  };
}

function footerChunk(
  { start, pages, size, encoding, ...bounds }: ColumnChunk,
  rows: number,
  element: SchemaElement | undefined,
): FooterChunk {
  if (element?.type === undefined) throw new Error('a column chunk without a column');
  return {
    file_offset: BigInt(start),
    meta_data: {
      type: element.type,
      encodings: pages > start ? ['PLAIN', encoding] : [encoding],
      path_in_schema: [element.name],
      codec: CODEC,
      num_values: BigInt(rows),
      total_compressed_size: BigInt(size),
      total_uncompressed_size: BigInt(size),
      data_page_offset: BigInt(pages),
      ...(pages > start && { dictionary_page_offset: BigInt(start) }),
      statistics: statisticsOf(element, bounds),
    },
  };
}

function unfit(column: Column, text: string, row: number): TableError {
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return new TableError(
    'bad_value',
    `Row ${row} has ${JSON.stringify(shown)} in the column "${column.name}", where Parquet holds ${holds(column)}. Make it a column of text, or choose another format.`,
  );
}
