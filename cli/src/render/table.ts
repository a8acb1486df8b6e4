import type { Paint, Style } from './colour.ts';
import { clean, cut, widthOf } from './width.ts';

export interface Column<Row> {
  readonly header: string;
  readonly align?: 'right';
  /** May be cut down to so many columns where the terminal is narrow; never, unless given. */
  readonly shrinkTo?: number;
  /** Left out where even that does not help, the highest number first. */
  readonly leaveOut?: number;
  cell(row: Row): string;
  style?(row: Row): Style | null;
}

export interface Table<Row> {
  /** Columns that found no room. */
  readonly leftOut: number;
  header(): string;
  line(row: Row): string;
}

const GAP = '  ';

/**
 * Lays the columns out for these rows. Rows that come later (the next page of a list) keep the layout:
 * in a terminal they are cut to it, elsewhere (`width` is Infinity) they may stand out.
 */
export function layOut<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): Table<Row> {
  const shown = fit(columns, rows, width);
  const limited = width !== Infinity;

  function render(cells: (column: Column<Row>) => { text: string; style: Style | null }): string {
    const fitted = shown.map(({ column, room }, index) => {
      const { text, style } = cells(column);
      const kept = limited ? cut(text, room) : text;
      const isLast = index === shown.length - 1;
      const space = ' '.repeat(isLast && column.align !== 'right' ? 0 : spaceLeft(kept, room));
      // The space stays outside of the colour.
      return column.align === 'right' ? space + paint(style, kept) : paint(style, kept) + space;
    });
    return fitted.join(GAP).trimEnd();
  }

  return {
    leftOut: columns.length - shown.length,
    header: () => render(({ header }) => ({ text: header, style: 'dim' })),
    line: (row) =>
      render((column) => ({ text: textOf(column, row), style: column.style?.(row) ?? null })),
  };
}

/** The whole table at once. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): string[] {
  const { header, line } = layOut(columns, rows, width, paint);
  return [header(), ...rows.map(line)];
}

function spaceLeft(text: string, room: number): number {
  return Math.max(room - widthOf(text), 0);
}

function textOf<Row>(column: Column<Row>, row: Row): string {
  return clean(column.cell(row));
}

interface Shown<Row> {
  readonly column: Column<Row>;
  room: number;
}

function fit<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): Shown<Row>[] {
  let shown = columns.map((column) => {
    const widths = rows.map((row) => widthOf(textOf(column, row)));
    return { column, room: Math.max(widthOf(column.header), ...widths) };
  });
  while (leastWidth(shown) > width) {
    const [first] = shown
      .filter(({ column }) => column.leaveOut !== undefined)
      .toSorted((a, b) => (b.column.leaveOut ?? 0) - (a.column.leaveOut ?? 0));
    if (first === undefined) break;
    shown = shown.filter((each) => each !== first);
  }
  // The last columns give first: a note is worth less than a name.
  let excess = totalWidth(shown.map(({ room }) => room)) - width;
  for (const each of shown.toReversed()) {
    const give = Math.min(Math.max(excess, 0), each.room - leastRoom(each));
    each.room -= give;
    excess -= give;
  }
  return shown;
}

function leastRoom<Row>({ column, room }: Shown<Row>): number {
  return Math.min(column.shrinkTo ?? room, room);
}

function leastWidth<Row>(shown: readonly Shown<Row>[]): number {
  return totalWidth(shown.map(leastRoom));
}

function totalWidth(rooms: readonly number[]): number {
  return rooms.reduce((sum, room) => sum + room, 0) + GAP.length * Math.max(rooms.length - 1, 0);
}
