import { createHash } from 'node:crypto';
import { TableError } from './errors.ts';
import type { Notes, Row, Writer } from './columns.ts';
import { openWriter, type FormatState, type TableOptions } from './writers.ts';

/** Plain JSON, to be saved with what it is the state of: `bytes` of a file, after `rows` rows. */
export interface TableState {
  readonly rows: number;
  /** The length of the file at this state: cut it off here, then carry on. */
  readonly bytes: number;
  readonly notes: Readonly<Notes>;
  readonly isEnded: boolean;
  /** A hash of format, columns and options: a file that goes on in another shape is damaged. */
  readonly shape: string;
  readonly format: FormatState;
}

export interface Table<Batch = readonly Row[]> {
  /** A chunk: one row group of Parquet, one or several segments of what is compressed. Large ones make small files. */
  write(batch: Batch): Uint8Array[];
  end(): Uint8Array[];
  /** After the last chunk that was written. */
  state(): TableState;
}

/** A table, piece by piece: `tableStream` lets other work in between two pieces, `createTable` gathers them. */
export interface Pieces<Batch> {
  write(batch: Batch): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
  state(): TableState;
}

/** With `from`, it carries on after that state, and the bytes are the same as if it had never stopped. */
export function createTable(options: TableOptions, from?: TableState): Table {
  return gathered(piecesOf(options, from));
}

export function piecesOf(options: TableOptions, from?: TableState): Pieces<readonly Row[]> {
  const width = options.columns.length;
  const kind = {
    shape: shapeOf(options),
    open: (notes: Notes, format: FormatState) => openWriter(options, notes, format),
    count: (batch: readonly Row[], before: number) => checked(batch, width, before).length,
  };
  return openPieces(kind, from);
}

export function gathered<Batch>({ write, end, state }: Pieces<Batch>): Table<Batch> {
  return { write: (batch) => [...write(batch)], end: () => [...end()], state };
}

interface TableKind<Batch> {
  readonly shape: string;
  open(notes: Notes, format: FormatState): Writer<FormatState, Batch>;
  /** The rows of a batch; throws where it is none of the table. */
  count(batch: Batch, before: number): number;
}

export function openPieces<Batch>(
  { shape, open, count }: TableKind<Batch>,
  from?: TableState,
): Pieces<Batch> {
  if (from !== undefined && from.shape !== shape) {
    throw new TableError(
      'bad_state',
      'The saved state is of a table with another format, other columns or other options. Start the file again from its beginning.',
    );
  }
  const notes: Notes = { asText: 0, replaced: 0, cut: 0, rounded: 0, ...from?.notes };
  const writer = open(notes, from?.format ?? {});
  let rows = from?.rows ?? 0;
  let bytes = from?.bytes ?? 0;
  // Closed while a chunk is under way: one that failed, or was left half taken, has no state to go on from.
  let isOpen = from?.isEnded !== true;
  let saved = stateNow(!isOpen);

  function stateNow(isEnded: boolean): TableState {
    return { rows, bytes, notes: { ...notes }, isEnded, shape, format: writer.state() };
  }

  function* counted(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
    for (const piece of pieces) {
      bytes += piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  function* chunk(make: () => Iterable<Uint8Array>, batch: Batch | null): Iterable<Uint8Array> {
    if (!isOpen) {
      throw new TableError(
        'table_closed',
        'The table has ended, or one of its chunks failed. Carry on from its state in a new one.',
      );
    }
    isOpen = false;
    const more = batch === null ? 0 : count(batch, rows);
    // Not when the table is opened: a state that nothing was written for would lack the beginning.
    if (bytes === 0) yield* counted(writer.begin());
    yield* counted(make());
    rows += more;
    isOpen = batch !== null;
    saved = stateNow(batch === null);
  }

  return {
    write: (batch) => chunk(() => writer.write(batch), batch),
    end: () => chunk(() => writer.end(), null),
    state: () => saved,
  };
}

function checked(given: readonly Row[], width: number, before: number): readonly Row[] {
  const at = given.findIndex((row) => row.length !== width);
  if (at === -1) return given;
  throw new TableError(
    'bad_row',
    `Row ${before + at + 1} has ${given[at]?.length ?? 0} values, and the table has ${width} columns.`,
  );
}

export function shapeOf(
  { format, columns, compression = null, csv, xlsx }: TableOptions,
  more: readonly unknown[] = [],
): string {
  const shape = JSON.stringify([format, columns, compression, csv ?? {}, xlsx ?? {}, ...more]);
  return createHash('sha256').update(shape).digest('hex').slice(0, 16);
}
