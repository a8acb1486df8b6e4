import { describe, expect, test } from 'vitest';
import { COLUMNS, fileOf, someRows } from '../test/build.ts';
import { TABLE_FORMATS } from './formats.ts';
import { createTable, type TableState } from './table.ts';
import type { Column } from './columns.ts';
import type { TableOptions } from './writers.ts';

const SHAPES: TableOptions[] = [
  ...TABLE_FORMATS.map((format): TableOptions => ({ format, columns: COLUMNS })),
  { format: 'csv', columns: COLUMNS, compression: 'gzip', csv: { bom: true } },
];

describe.each(SHAPES)('$format $compression', (options) => {
  const rows = someRows(9000);
  const chunks = [rows.slice(0, 1), rows.slice(1, 7000), rows.slice(7000)];
  const whole = fileOf(options, ...chunks);

  // As a process that is killed after each step: it has the bytes of the file, perhaps too many, and the saved state.
  test('cut off at any chunk and carried on, it has the same bytes', () => {
    for (let stop = 0; stop <= chunks.length + 1; stop++) {
      const first = createTable(options);
      const steps = [
        ...chunks.map(
          (chunk) =>
            (table = first) =>
              table.write(chunk),
        ),
        (table = first) => table.end(),
      ];
      const before = steps.slice(0, stop).flatMap((step) => step());
      const saved = JSON.parse(JSON.stringify(first.state())) as TableState;
      const lost = stop < steps.length ? (steps[stop]?.() ?? []) : [];

      const kept = Buffer.concat([...before, ...lost]).subarray(0, saved.bytes);
      const next = createTable(options, saved);
      const after = steps.slice(stop).flatMap((step) => step(next));
      expect(Buffer.concat([kept, ...after]).equals(whole.bytes), `stopped at ${stop}`).toBe(true);
      expect(next.state()).toEqual(whole.state);
    }
  });

  test('its state is small', () => {
    const table = createTable(options);
    for (let i = 0; i < 20; i++) table.write(rows.slice(0, 50));
    // Parquet's footer needs some 110 bytes of each column of each chunk.
    const limit = options.format === 'parquet' ? 20 * COLUMNS.length * 125 : 1000;
    expect(JSON.stringify(table.state()).length).toBeLessThan(limit);
  });

  test('it counts rows and bytes', () => {
    expect(whole.state).toMatchObject({ rows: 9000, bytes: whole.bytes.length, isEnded: true });
  });

  test('a row of another width is refused, and nothing is written after it', () => {
    const table = createTable(options);
    table.write(rows.slice(0, 2));
    const before = table.state();
    expect(() => table.write([rows[0] ?? [], [1, 2]])).toThrow(
      'Row 4 has 2 values, and the table has 5 columns.',
    );
    expect(() => table.write(rows.slice(0, 1))).toThrow('Carry on from its state');
    expect(table.state()).toEqual(before);
  });

  test('nothing follows its end', () => {
    const table = createTable(options);
    table.end();
    expect(() => table.end()).toThrow('has ended');
    expect(() => createTable(options, table.state()).write([])).toThrow('has ended');
  });

  test('it is not carried on in another shape', () => {
    const { state } = fileOf(options);
    const columns = COLUMNS.slice(1);
    expect(() => createTable({ ...options, columns }, state)).toThrow('Start the file again');
  });
});

test.each<[Column[], string]>([
  [[], 'at least one column'],
  [
    [
      { name: 'A', type: 'text' },
      { name: 'A', type: 'number' },
    ],
    'Two columns have the name "A"',
  ],
  [[{ name: 'A', type: 'money' as 'text' }], 'has the type "money"'],
  [[{ name: 'A', type: 'text', scale: 2 }], 'is no decimal'],
  [[{ name: 'A', type: 'decimal', scale: 1.5 }], 'it may be 0 to 38'],
])('columns that make no table are refused', (columns, sentence) => {
  expect(() => createTable({ format: 'csv', columns })).toThrow(
    expect.objectContaining({ code: 'bad_columns', message: expect.stringContaining(sentence) }),
  );
});

test('a format that is none is refused', () => {
  expect(() => createTable({ format: 'pdf' as 'csv', columns: COLUMNS })).toThrow(
    'There is no format "pdf"',
  );
});
