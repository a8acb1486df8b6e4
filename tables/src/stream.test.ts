import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { COLUMNS, fileOf, someRows } from '../test/build.ts';
import { TABLE_FORMATS } from './formats.ts';
import { tableStream } from './stream.ts';
import type { Row } from './columns.ts';

async function* inBatches(rows: readonly Row[], size: number): AsyncGenerator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

async function gathered(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

test.each(TABLE_FORMATS)('%s has the same bytes, however the rows come', async (format) => {
  const rows = someRows(25_000);
  const options = { format, columns: COLUMNS };
  const one = await gathered(tableStream(inBatches(rows, 25_000), options));
  const many = await gathered(tableStream(inBatches(rows, 333), options));
  expect(many.equals(one)).toBe(true);
});

test('the last value of the stream is the state at its end', async () => {
  const stream = tableStream(inBatches([['n/a']], 1), {
    format: 'csv',
    columns: [{ name: 'A', type: 'number' }],
  });
  let next = await stream.next();
  while (next.done !== true) next = await stream.next();
  expect(next.value).toMatchObject({ rows: 1, isEnded: true, notes: { asText: 1 } });
});

test('a source without batches makes the file of a table without rows', async () => {
  for (const format of TABLE_FORMATS) {
    const options = { format, columns: COLUMNS };
    const bytes = await gathered(tableStream(inBatches([], 1), options));
    expect(bytes.equals(fileOf(options).bytes)).toBe(true);
  }
});

/** Rows without end, and how many were asked for. */
function endless(row: Row) {
  const seen = { pulled: 0, isClosed: false };
  async function* source(): AsyncGenerator<readonly Row[]> {
    try {
      for (;;) {
        seen.pulled++;
        yield [row];
      }
    } finally {
      seen.isClosed = true;
    }
  }
  return { seen, source: source() };
}

test.each(TABLE_FORMATS)('%s pulls no rows before somebody reads', async (format) => {
  const { seen, source } = endless(['x'.repeat(100_000)]);
  const stream = tableStream(source, { format, columns: [{ name: 'A', type: 'text' }] });
  await stream.next();
  // The first chunk: 1.5 or 16 million characters, however few rows that is.
  const first = format === 'parquet' ? 160 : 15;
  expect(seen.pulled).toBe(first);
  await setImmediate();
  expect(seen.pulled).toBe(first);
});

test('a reader that stops ends the source', async () => {
  const { seen, source } = endless(['x']);
  for await (const piece of tableStream(source, {
    format: 'csv',
    columns: [{ name: 'A', type: 'text' }],
  })) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  expect(seen.isClosed).toBe(true);
});

test('an error of the source reaches the reader', async () => {
  async function* broken(): AsyncGenerator<readonly Row[]> {
    yield [['a']];
    throw new Error('the rows are gone');
  }
  const stream = tableStream(broken(), { format: 'csv', columns: [{ name: 'A', type: 'text' }] });
  await expect(gathered(stream)).rejects.toThrow('the rows are gone');
});

test('other work has its turn between two pieces', async () => {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await setImmediate();
  })();
  let pieces = 0;
  const stream = tableStream(inBatches(someRows(20_000), 20_000), {
    format: 'parquet',
    columns: COLUMNS,
  });
  for await (const _ of stream) pieces++;
  isDone = true;
  await others;
  expect(pieces).toBeGreaterThan(COLUMNS.length);
  expect(turns).toBeGreaterThanOrEqual(pieces - 1);
});
