import type { Cell, TableLine } from '../row.ts';
import { shownAs } from './format.ts';
import type { Workbook } from './workbook.ts';
import { BadWorkbook, unescaped, visit } from './xml.ts';

/** As far as a sheet goes. */
const MOST_COLUMNS = 16_384;
const MOST_ROWS = 1_048_576;

interface CellFacts {
  readonly place: string;
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string | null;
  text: string;
  hasFormula: boolean;
}

/** Gives each row that holds something to `take`, from the top. A cell that cannot be read is its row's error. */
export function readSheet(book: Workbook, take: (row: TableLine) => void): void {
  const merged = mergedRows(book.sheet.xml);
  let line = 0;
  // The last row that was given away.
  let given = 0;
  let cells: Cell[] = [];
  let error: string | undefined;
  let column = 0;
  let cell: CellFacts | null = null;
  let collects: 'value' | 'text' | null = null;
  let reading = 0;

  function closeCell(): void {
    if (cell === null) return;
    const read = valueOf(cell, book);
    if ('error' in read) error ??= `Cell ${cell.place}: ${read.error}.`;
    if ('error' in read || read.value !== '') {
      while (cells.length < cell.column) cells.push('');
      cells[cell.column] = 'error' in read ? read.shown : read.value;
    }
    cell = null;
  }

  visit(book.sheet.xml, {
    open(name, attributes) {
      if (name === 'row') {
        const at = Number(attributes()['r'] ?? line + 1);
        if (!(at > line && at <= MOST_ROWS))
          throw new BadWorkbook(`The XLSX is damaged: after row ${line} comes row ${at}.`);
        line = at;
        cells = [];
        error = undefined;
        column = 0;
      } else if (name === 'c') {
        const { r = '', t = 'n', s = '0' } = attributes();
        column = r === '' ? column + 1 : columnOf(r);
        if (!(column >= 1 && column <= MOST_COLUMNS))
          throw new BadWorkbook(`The XLSX is damaged: there is no cell "${r.slice(0, 20)}".`);
        const facts = {
          place: r.slice(0, 20) || `${columnName(column)}${line}`,
          column: column - 1,
          type: t,
        };
        cell = { ...facts, style: Number(s), value: null, text: '', hasFormula: false };
      } else if (cell === null) return;
      else if (name === 'v') {
        cell.value = '';
        collects = 'value';
      } else if (name === 'f') cell.hasFormula = true;
      else if (name === 'rPh') reading += 1;
      else if (name === 't' && reading === 0) collects = 'text';
    },
    text(text) {
      if (cell === null || collects === null) return;
      if (collects === 'value') cell.value = (cell.value ?? '') + text;
      else cell.text += text;
    },
    close(name) {
      if (name === 'v' || name === 't') collects = null;
      else if (name === 'rPh') reading -= 1;
      else if (name === 'c') closeCell();
      else if (name === 'row') {
        const area = merged.get(line);
        if (area !== undefined)
          error ??= `The cells ${area} are merged, so that only the first has a value. Unmerge them.`;
        if (cells.length === 0 && error === undefined) return;
        const blankAbove = line - given - 1;
        given = line;
        take({
          line,
          cells,
          ...(error !== undefined && { error }),
          ...(blankAbove > 0 && { blankAbove }),
        });
      }
    },
  });
}

type Read = { readonly value: Cell } | { readonly error: string; readonly shown: string };

function valueOf({ type, value, text, style, hasFormula }: CellFacts, book: Workbook): Read {
  if (type === 'inlineStr') return { value: unescaped(text) };
  // Programs that write sheets without computing them leave the result of a formula out, or its element empty. A
  // formula whose result is the empty text has the type `str`.
  if (hasFormula && (value === null || (value === '' && type !== 'str')))
    return {
      error: 'a formula without its result; open the file in a spreadsheet program and save it',
      shown: '',
    };
  if (value === null || (value === '' && type !== 'str')) return { value: '' };
  switch (type) {
    case 'str':
      return { value: unescaped(value) };
    case 's': {
      const string = book.strings[Number(value)];
      return string === undefined ? { error: 'its text is missing', shown: '' } : { value: string };
    }
    case 'b':
      return { value: value.trim() === '1' || value.trim() === 'true' };
    case 'e':
      return { error: `it shows the error ${value.slice(0, 40)}`, shown: value };
    case 'd':
      return { value: value.trim().replace(/T00:00(:00(\.0+)?)?$/, '') };
    case 'n': {
      const number = Number(value);
      if (!Number.isFinite(number))
        return { error: `"${value.slice(0, 40)}" is no number`, shown: value };
      const shown = shownAs(number, book.formats[style] ?? { type: 'number' }, book.is1904);
      return 'error' in shown ? { error: shown.error, shown: value } : shown;
    }
    default:
      return { error: `its kind "${type.slice(0, 20)}" is not known`, shown: value };
  }
}

/** `BC12` is column 55. */
function columnOf(place: string): number {
  const letters = /^\$?([A-Za-z]{1,3})\$?\d+$/.exec(place)?.[1]?.toUpperCase() ?? '';
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

export function columnName(column: number): string {
  const before = Math.floor((column - 1) / 26);
  const letter = String.fromCharCode(65 + ((column - 1) % 26));
  return before === 0 ? letter : `${columnName(before)}${letter}`;
}

const MERGED = /<(?:\w+:)?mergeCell\s[^<>]*ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;

/**
 * The rows in which cells are merged, with the first area of each. They are listed after the cells, so they are looked
 * for before: only there, since the text of a cell could hold anything.
 */
function mergedRows(xml: string): Map<number, string> {
  const rows = new Map<number, string>();
  let steps = 0;
  const after = Math.max(xml.lastIndexOf('</sheetData>'), xml.lastIndexOf(':sheetData>'));
  if (after === -1) return rows;
  for (const [, left, top, right, bottom] of xml.slice(after).matchAll(MERGED)) {
    const area = `${left}${top}:${right}${bottom}`;
    for (let row = Number(top); row <= Number(bottom); row++) {
      steps += 1;
      if (steps > MOST_ROWS) throw new BadWorkbook('The XLSX has too many merged cells.');
      if (!rows.has(row)) rows.set(row, area);
    }
  }
  return rows;
}
