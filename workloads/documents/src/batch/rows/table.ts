import { setImmediate } from 'node:timers/promises';
import { keysOfColumn } from '@millrace/docx';
import { DocumentError } from '../../errors.ts';
import { DEEPEST } from '../../one/canonical.ts';
import { badHeader, tooWide } from './bad-header.ts';
import { type Cell, ROW_LIMITS, type Row, type TableLine, bytesOfCells } from './row.ts';
import { columnName } from './xlsx/sheet.ts';

/**
 * A spreadsheet, from whatever file: its first line that is not blank names the fields, and dots in a name make objects:
 * `Account.Name`. Blank lines are no rows; they are counted.
 */
export interface Table {
  /** As the file has them, for giving rows back. */
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<Row>;
  blank(): number;
  /** For whoever does not read to the end. */
  close(): Promise<void>;
}

/** Columns that a file of failed rows has beside its own. They are no fields: the file can be sent as it is. */
export const MARKS = { line: 'millrace line', error: 'millrace error' } as const;

/** How the columns of a file are read other than they stand there. */
export interface Reading {
  /** From the name that a column has in the file to the one that it is read as. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** More columns, with the same text in every row. */
  readonly same?: Readonly<Record<string, string>> | undefined;
}

export async function openTable(
  lines: AsyncGenerator<TableLine>,
  reading: Reading = {},
): Promise<Table> {
  try {
    return await headed(lines, reading);
  } catch (error) {
    await lines.return(undefined);
    throw error;
  }
}

async function headed(
  iterator: AsyncGenerator<TableLine>,
  { names = {}, same = {} }: Reading,
): Promise<Table> {
  let first = await iterator.next();
  while (first.done !== true && isBlank(first.value)) first = await iterator.next();
  if (first.done === true)
    throw new DocumentError(
      'invalid_rows',
      'There are no rows, not even one that names the fields.',
    );
  const { value: header } = first;
  if (header.error !== undefined)
    throw badHeader(`cannot be read. ${header.error.replace(/\.$/, '')}`);
  if (bytesOfCells(header.cells) > ROW_LIMITS.headerBytes)
    throw badHeader(`has more than ${ROW_LIMITS.headerBytes / 1_000_000} MB`);
  const other = new Map(Object.entries(names));
  const own = header.cells.map((cell) => {
    const name = String(cell).normalize('NFC').trim();
    return other.get(name) ?? name;
  });
  const columns = [...own, ...Object.keys(same)];
  if (columns.length > ROW_LIMITS.columns) throw tooWide(columns.length);
  const more = Object.values(same);
  const fields = fieldsOf(columns);
  const place = placing(columns, fields);
  // Each row is an object with all names, and one in it for each point of a name.
  const levels = fields.reduce((sum, { path }) => sum + path.length, 0);
  const nameBytes = bytesOfCells(columns);
  let blank = 0;
  let cells = 0;
  let named = 0;
  let sinceTurn = 0;
  async function* rows(): AsyncGenerator<Row> {
    for await (const line of iterator) {
      blank += line.blankAbove ?? 0;
      if (isBlank(line)) {
        blank += 1;
        continue;
      }
      cells += Math.max(columns.length, levels);
      if (cells > ROW_LIMITS.cells) throw tooManyCells();
      named += nameBytes;
      if (named > ROW_LIMITS.namedBytes) throw namesTooLong();
      sinceTurn += levels * BYTES_OF_LEVEL + nameBytes;
      if (sinceTurn > ROW_LIMITS.headerBytes) {
        sinceTurn = 0;
        await setImmediate();
      }
      yield place(more.length === 0 ? line : longer(line, own.length, more));
    }
  }
  const close = async (): Promise<void> => void (await iterator.return(undefined));
  return { columns, rows: rows(), blank: () => blank, close };
}

/** What it takes to place a cell, as if it were so many bytes. */
const BYTES_OF_LEVEL = 20;

/** With the cells that are the same in every row. A row with too many cells has none of them: it is an error as it is. */
function longer(line: TableLine, length: number, more: readonly string[]): TableLine {
  const { cells } = line;
  if (cells.length > length) return line;
  const gap = Array.from({ length: length - cells.length }, () => '');
  return { ...line, cells: [...cells, ...gap, ...more] };
}

function tooManyCells(): DocumentError {
  return new DocumentError(
    'too_many_rows',
    `The rows have more than ${ROW_LIMITS.cells / 1_000_000} million cells: rows times columns, and times the levels of a name such as Account.Name. Leave out columns that nothing uses, or split the file.`,
  );
}

function namesTooLong(): DocumentError {
  return new DocumentError(
    'too_many_rows',
    `The names of the columns, with which each row is stored, take more than ${ROW_LIMITS.namedBytes / 1_000_000} MB in all rows together. Shorten them, or split the file.`,
  );
}

function isBlank({ cells, error }: TableLine): boolean {
  return (
    error === undefined && cells.every((cell) => typeof cell === 'string' && cell.trim() === '')
  );
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

export interface Field {
  readonly index: number;
  readonly path: readonly string[];
}

/** The columns that are fields. Those without a name may be there as long as nothing is in them. */
export function fieldsOf(columns: readonly string[]): Field[] {
  const marks: readonly string[] = Object.values(MARKS);
  return columns.flatMap((name, index) =>
    name === '' || marks.includes(name) ? [] : [{ index, path: keysOfColumn(name) }],
  );
}

/** Where the cells of a row go. */
function placing(columns: readonly string[], fields: readonly Field[]): (line: TableLine) => Row {
  if (fields.length === 0) throw badHeader('names no field');
  checkPaths(fields);
  const lineColumn = columns.indexOf(MARKS.line);
  return ({ line, cells, error }) => {
    const number = lineColumn === -1 ? NaN : Number(cells[lineColumn]);
    const corrects = Number.isSafeInteger(number) && number > 0 ? { corrects: number } : {};
    const data: Record<string, unknown> = {};
    for (const { index, path } of fields) put(data, path, cells[index] ?? '');
    const wrong = error ?? misfit(columns, cells);
    return wrong === null
      ? { line, data, ...corrects }
      : { line, error: wrong, cells, placed: data, ...corrects };
  };
}

function misfit(columns: readonly string[], cells: readonly Cell[]): string | null {
  for (const [index, cell] of cells.entries()) {
    if (cell === '' || (columns[index] ?? '') !== '') continue;
    const place = `"${String(cell).slice(0, 40)}" stands in column ${columnName(index + 1)}`;
    return index < columns.length
      ? `${place}, which has no name in the first row.`
      : `The row has ${cells.length} cells, the first row ${columns.length}: ${place}.`;
  }
  return null;
}

function checkPaths(fields: readonly Field[]): void {
  const taken = new Map<string, 'value' | 'object'>();
  for (const { path } of fields) {
    if (path.length > DEEPEST)
      throw badHeader(`has a column that is nested more than ${DEEPEST} levels deep`);
    if (path.some((key) => FORBIDDEN.has(key)))
      throw badHeader(`has a column "${path.join('.').slice(0, 100)}", which cannot be a field`);
    for (let depth = 1; depth <= path.length; depth++) {
      const key = path.slice(0, depth).join('.');
      const kind = depth === path.length ? 'value' : 'object';
      if (taken.has(key) && (kind === 'value' || taken.get(key) === 'value'))
        throw badHeader(`names "${key.slice(0, 100)}" twice, or both as a field and as an object`);
      taken.set(key, kind);
    }
  }
}

export function put(row: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = row;
  for (const key of path.slice(0, -1)) {
    if (typeof at[key] !== 'object' || at[key] === null) at[key] = {};
    at = at[key] as Record<string, unknown>;
  }
  at[path.at(-1) ?? ''] = value;
}
