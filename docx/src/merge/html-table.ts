import type { HtmlCell, HtmlTable, HtmlText } from '../helpers/html.ts';

const TWIPS_PER_EMU = 1 / 635;
const MOST_COLUMNS = 63; // Word's own limit
const SIDES = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'];
const BORDERS = SIDES.map(
  (side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="auto"/>`,
).join('');

/** A cell of the grid; without a cell of the page it goes on with the one above it, or fills its row. */
interface Placed {
  readonly cell: HtmlCell | undefined;
  readonly columns: number;
  readonly merge: 'restart' | 'continue' | undefined;
}

/** Writes a table of rich text: as wide as the text, its columns equal, with lines. False, and nothing written, when Word cannot have it. */
export function writeTable(
  { rows }: HtmlTable,
  textWidth: number,
  write: { raw(xml: string): void; paragraph(block: HtmlText): void },
): boolean {
  const grid = gridOf(rows);
  const columns = grid.reduce((most, row) => Math.max(most, widthOf(row)), 1);
  if (columns > MOST_COLUMNS) return false;
  const width = Math.floor((textWidth * TWIPS_PER_EMU) / columns);
  write.raw(
    `<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/><w:tblBorders>${BORDERS}</w:tblBorders></w:tblPr>` +
      `<w:tblGrid>${`<w:gridCol w:w="${width}"/>`.repeat(columns)}</w:tblGrid>`,
  );
  for (const row of grid) {
    write.raw('<w:tr>');
    const missing = columns - widthOf(row);
    const filler: Placed[] =
      missing > 0 ? [{ cell: undefined, columns: missing, merge: undefined }] : [];
    for (const { cell, columns: span, merge } of [...row, ...filler]) {
      const share = Math.floor((5000 * span) / columns);
      const spanned = span > 1 ? `<w:gridSpan w:val="${span}"/>` : '';
      const merged = merge ? `<w:vMerge w:val="${merge}"/>` : '';
      write.raw(`<w:tc><w:tcPr><w:tcW w:w="${share}" w:type="pct"/>${spanned}${merged}</w:tcPr>`);
      for (const block of cell?.blocks ?? []) write.paragraph(block);
      if (!cell || cell.blocks.length === 0) write.raw('<w:p/>');
      write.raw('</w:tc>');
    }
    write.raw('</w:tr>');
  }
  write.raw('</w:tbl>');
  return true;
}

function widthOf(row: readonly Placed[]): number {
  return row.reduce((sum, { columns }) => sum + columns, 0);
}

/** Where cells come to stand that reach over several rows and columns. */
function gridOf(rows: readonly (readonly HtmlCell[])[]): Placed[][] {
  /** By column: how many rows the cell above still reaches down. */
  const reaching = new Map<number, { readonly columns: number; rows: number }>();
  return rows.map((row) => {
    const placed: Placed[] = [];
    let column = 0;
    const goOn = () => {
      for (let above = reaching.get(column); above; above = reaching.get(column)) {
        placed.push({ cell: undefined, columns: above.columns, merge: 'continue' });
        above.rows -= 1;
        if (above.rows === 0) reaching.delete(column);
        column += above.columns;
      }
    };
    for (const cell of row) {
      goOn();
      const { columns } = cell;
      if (cell.rows > 1) reaching.set(column, { columns, rows: cell.rows - 1 });
      placed.push({ cell, columns, merge: cell.rows > 1 ? 'restart' : undefined });
      column += columns;
    }
    goOn();
    return placed;
  });
}
