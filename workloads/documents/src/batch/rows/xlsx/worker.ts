import { parentPort, workerData } from 'node:worker_threads';
import type { TableLine } from '../row.ts';
import { readSheet } from './sheet.ts';
import type { SheetAnswer, SheetOrder } from './thread.ts';
import { openWorkbook } from './workbook.ts';
import { BadWorkbook } from './xml.ts';

const ROWS_AT_ONCE = 500;
const CELLS_AT_ONCE = 20_000;

const { bytes, sheet, taken } = workerData as SheetOrder;
const port = parentPort;
if (port === null) throw new Error('This is a thread of the documents workload.');

function say(answer: SheetAnswer): void {
  port?.postMessage(answer);
}

/** Rows wait here until the ones before them are stored, so that a large sheet is never in memory twice. */
let said = 0;
let rows: TableLine[] = [];
let cells = 0;
function flush(): void {
  if (rows.length === 0) return;
  say({ type: 'rows', rows });
  said += 1;
  rows = [];
  cells = 0;
  for (;;) {
    const seen = Atomics.load(taken, 0);
    if (seen >= said) return;
    Atomics.wait(taken, 0, seen);
  }
}

try {
  const book = openWorkbook(bytes, sheet);
  say({ type: 'sheet', name: book.sheet.name });
  readSheet(book, (row) => {
    rows.push(row);
    cells += row.cells.length;
    if (rows.length >= ROWS_AT_ONCE || cells >= CELLS_AT_ONCE) flush();
  });
  flush();
  say({ type: 'end' });
} catch (error) {
  if (!(error instanceof BadWorkbook)) throw error;
  say({ type: 'refused', message: error.message });
}
