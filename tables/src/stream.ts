import { setImmediate } from 'node:timers/promises';
import type { TableFormat } from './formats.ts';
import { piecesOf, type TableState } from './table.ts';
import type { Row } from './columns.ts';
import type { TableOptions } from './writers.ts';

/** A chunk is full with so many rows, or characters: wide rows must not fill the memory. */
interface Measure {
  readonly rows: number;
  readonly characters: number;
}

const LINES: Measure = { rows: 10_000, characters: 1_500_000 };
const CHUNKS: Record<TableFormat, Measure> = {
  csv: LINES,
  jsonl: LINES,
  xlsx: LINES,
  parquet: { rows: 20_000, characters: 16_000_000 },
};
/** The characters that a cell without text counts for. */
const CELL_CHARACTERS = 8;

/**
 * A file, as fast as its reader takes it: no more than a chunk of rows and a piece of the file are in memory. Its bytes
 * depend on the rows and not on how they come: batches are cut into chunks of one size. A reader that stops ends the
 * source too. Returns the state at the end, with the counts of rows and of what could not be written as it was given.
 */
export async function* tableStream(
  batches: AsyncIterable<readonly Row[]>,
  options: TableOptions,
): AsyncGenerator<Uint8Array, TableState> {
  const table = piecesOf(options);
  for await (const rows of chunksOf(batches, CHUNKS[options.format])) {
    yield* inTurns(table.write(rows));
  }
  yield* inTurns(table.end());
  return table.state();
}

/** A piece is some 10 ms of work (a column of Parquet 25); between two, the process serves others. */
async function* inTurns(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

async function* chunksOf(
  batches: AsyncIterable<readonly Row[]>,
  { rows, characters }: Measure,
): AsyncGenerator<readonly Row[], void> {
  let chunk: Row[] = [];
  let weight = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      chunk.push(row);
      weight += weightOf(row);
      if (chunk.length < rows && weight < characters) continue;
      yield chunk;
      chunk = [];
      weight = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}

function weightOf(row: Row): number {
  let weight = 0;
  for (const value of row) weight += typeof value === 'string' ? value.length : CELL_CHARACTERS;
  return weight;
}
