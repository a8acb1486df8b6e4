import { parentPort, workerData } from 'node:worker_threads';
import { createLinesOut } from '../lines-out.ts';
import type { ThreadAnswer } from '../reading-thread.ts';
import { ROW_LIMITS } from '../row.ts';
import { readSheet } from './sheet.ts';
import type { SheetOrder } from './thread.ts';
import { openWorkbook } from './workbook.ts';
import { BadWorkbook } from './xml.ts';

const { bytes, sheet, taken } = workerData as SheetOrder;
const port = parentPort;
if (port === null) throw new Error('This is a thread of the documents workload.');

function say(answer: ThreadAnswer): void {
  port?.postMessage(answer);
}

try {
  const book = openWorkbook(bytes, sheet);
  say({ type: 'sheet', name: book.sheet.name });
  const out = createLinesOut(taken, (rows) => say({ type: 'rows', rows }));
  readSheet(book, (row) => {
    out.add(row);
    if (out.bytes() > ROW_LIMITS.tableBytes)
      throw new BadWorkbook(
        `The rows of the sheet hold more than ${ROW_LIMITS.tableBytes / 1_000_000} MB of text. Split it into several files.`,
      );
  });
  out.flush();
  say({ type: 'end' });
} catch (error) {
  if (!(error instanceof BadWorkbook)) throw error;
  say({ type: 'refused', message: error.message });
}
