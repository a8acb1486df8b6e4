import {
  createTable,
  type Column,
  type Row,
  type TableOptions,
  type TableState,
} from '../src/index.ts';

/** The whole file, and the state at its end. */
export function fileOf(
  options: TableOptions,
  ...chunks: readonly (readonly Row[])[]
): { bytes: Buffer; text: string; state: TableState } {
  const table = createTable(options);
  const pieces = chunks.flatMap((rows) => table.write(rows));
  const bytes = Buffer.concat([...pieces, ...table.end()]);
  return { bytes, text: bytes.toString(), state: table.state() };
}

export const COLUMNS: readonly Column[] = [
  { name: 'Id', type: 'number' },
  { name: 'Name', type: 'text' },
  { name: 'Amount', type: 'decimal' },
  { name: 'Active', type: 'boolean' },
  { name: 'When', type: 'date' },
];

/** Rows that every format can hold, some of them long enough to make several pieces of a chunk. */
export function someRows(count: number): Row[] {
  return Array.from({ length: count }, (_, i) => [
    i,
    i % 7 === 0 ? null : `Name ${i} "quoted", <&> ${'x'.repeat(i % 50)}`,
    `${i}.${10 + (i % 90)}`,
    i % 3 === 0,
    `2026-0${1 + (i % 9)}-15T0${i % 10}:30:00`,
  ]);
}
