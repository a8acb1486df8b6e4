/**
 * One row of a file that people correct in a spreadsheet, without its line end: cells as they are, in quotes where a reader would
 * split or trim them. The service writes it and the console writes it back; files of typed rows are the business of tables/.
 */
export function csvRecord(cells: readonly string[], delimiter: string): string {
  return cells
    .map((cell) =>
      cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell)
        ? `"${cell.replaceAll('"', '""')}"`
        : cell,
    )
    .join(delimiter);
}
