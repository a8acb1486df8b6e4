import { follow } from '../one/names.ts';
import type { Cell } from '../batch/rows/row.ts';
import { fieldsOf, put } from '../batch/rows/table.ts';

/**
 * The file of failed rows is text, and what comes back must not change what a cell is: as text, the 0 of an XLSX
 * would count as true, and 1234.5 be printed as 1234,5. A cell that was left alone keeps its value, and in the rows of
 * an XLSX a corrected one that is written as a number is one.
 */
export interface CellTexts {
  /** As the file of failed rows writes it. */
  shown(cell: unknown): string;
  /** A number where the text is one as `shown` writes them; codes with leading zeros are none. */
  read(text: string): Cell;
}

export function cellTexts(locale: string): CellTexts {
  const format = new Intl.NumberFormat(locale, { useGrouping: false, maximumFractionDigits: 15 });
  const sign = format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
  const number = new RegExp(`^-?(?:0|[1-9]\\d{0,14})(?:\\${sign}\\d{1,15})?$`);
  return {
    shown(cell) {
      if (typeof cell === 'number') return format.format(cell);
      if (typeof cell === 'boolean') return cell ? 'TRUE' : 'FALSE';
      return typeof cell === 'string' ? cell : '';
    },
    read: (text) => (number.test(text) ? Number(text.replace(sign, '.')) : text),
  };
}

/** What a failed row holds: its data, or its cells where it could not be read. */
export interface HeldRow {
  readonly data: string | null;
  readonly cells: string | null;
}

export interface KeepingParams {
  readonly columns: readonly string[];
  readonly texts: CellTexts;
  /** Whether the cells of the batch have types. */
  readonly isTyped: boolean;
}

type Data = Readonly<Record<string, unknown>>;

/** Gives the data of a corrected row the types of the row that it corrects, and the fields that JSON leaves out. */
export function keepTypes({
  columns,
  texts,
  isTyped,
}: KeepingParams): (held: HeldRow, given: Data) => Data {
  const fields = fieldsOf(columns);
  return (held, given) => {
    const cells = held.cells === null ? null : (JSON.parse(held.cells) as Cell[]);
    const row: unknown = held.data === null ? {} : JSON.parse(held.data);
    const kept = structuredClone(given) as Record<string, unknown>;
    for (const { index, path } of fields) {
      const before = cells === null ? follow(row, path) : cells[index];
      const now = follow(given, path);
      const isSame = now === undefined || texts.shown(now) === texts.shown(before);
      if (isSame && before !== undefined) put(kept, path, before);
      if (!isSame && isTyped && typeof now === 'string') put(kept, path, texts.read(now));
    }
    return kept;
  };
}
