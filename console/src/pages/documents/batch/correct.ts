import { ERROR, type FailedTable, LINE } from './csv.ts';

/** A failed row with its cells, and which of them its error is about. */
export interface FailedRow {
  readonly line: number;
  readonly who: string;
  readonly error: string;
  readonly cells: readonly string[];
  /** Indexes of the columns that the error names. */
  readonly suspects: readonly number[];
}

/** Typed corrections: line → column → text. */
export type Corrections = ReadonlyMap<number, ReadonlyMap<number, string>>;

export function failedRowsOf({ header, rows }: FailedTable): FailedRow[] {
  const lineAt = header.indexOf(LINE);
  const errorAt = header.indexOf(ERROR);
  return rows.map((cells) => {
    const error = cells[errorAt] ?? '';
    return {
      line: Number(cells[lineAt]),
      error,
      cells,
      suspects: suspectsOf(error, header, cells),
      who: cells.find((cell, index) => index > errorAt && /\p{L}/u.test(cell)) ?? '',
    };
  });
}

/** Columns that the error names; else those whose text it quotes. */
export function suspectsOf(
  error: string,
  header: readonly string[],
  cells: readonly string[],
): number[] {
  const own = header.flatMap((name, index) =>
    name === LINE || name === ERROR || name === '' ? [] : [{ name, index }],
  );
  const named = own.filter(({ name }) => wordIn(error, name));
  // `Name` is within `Candidate.Name`: the longer one is meant.
  const exact = named.filter(
    ({ name }) => !named.some((other) => other.name !== name && other.name.includes(name)),
  );
  if (exact.length > 0) return exact.map(({ index }) => index);
  return own
    .filter(({ index }) => (cells[index] ?? '') !== '' && error.includes(`"${cells[index]}"`))
    .map(({ index }) => index);
}

function wordIn(text: string, word: string): boolean {
  const at = text.indexOf(word);
  if (at === -1) return false;
  const before = text[at - 1] ?? ' ';
  const after = text[at + word.length] ?? ' ';
  return !/[\p{L}\p{N}]/u.test(before) && !/[\p{L}\p{N}]/u.test(after);
}

/** The rows that were corrected, as a file that the service takes. */
export function correctedTable(table: FailedTable, corrections: Corrections): FailedTable {
  const lineAt = table.header.indexOf(LINE);
  return {
    ...table,
    rows: table.rows.flatMap((cells) => {
      const typed = corrections.get(Number(cells[lineAt]));
      if (typed === undefined || typed.size === 0) return [];
      return [cells.map((cell, index) => typed.get(index) ?? cell)];
    }),
  };
}

/** The record that a template gets: dots in a column's name make objects. */
export function recordOf(
  header: readonly string[],
  cells: readonly string[],
  typed: ReadonlyMap<number, string> | undefined,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [index, name] of header.entries()) {
    if (name === LINE || name === ERROR || name === '') continue;
    let at = record;
    const path = name.split('.');
    for (const key of path.slice(0, -1)) {
      const held = at[key];
      const next = typeof held === 'object' && held !== null ? held : {};
      at[key] = next;
      at = next as Record<string, unknown>;
    }
    at[path.at(-1) ?? ''] = typed?.get(index) ?? cells[index] ?? '';
  }
  return record;
}
