import { on } from 'node:events';
import { isOutOfMemory, startLimitedThread } from '../../../limited-thread.ts';
import { DocumentError } from '../../../errors.ts';
import type { TableLine } from '../row.ts';

/**
 * The rows of a sheet, read in a thread with limits on memory and time: what a hostile workbook can end is the thread,
 * and the service answers meanwhile. 50,000 rows of 10 columns (2 MB) take about a second and 200 MB there
 * (docs/decisions/0016-spreadsheets.md).
 */
export interface SheetOrder {
  readonly bytes: Uint8Array;
  readonly sheet: string | undefined;
  /** How many answers with rows were taken: the thread waits for it. */
  readonly taken: Int32Array;
}

export type SheetAnswer =
  | { readonly type: 'sheet'; readonly name: string }
  | { readonly type: 'rows'; readonly rows: readonly TableLine[] }
  | { readonly type: 'end' }
  | { readonly type: 'refused'; readonly message: string };

export interface SheetThreadParams {
  readonly sheet?: string | undefined;
  /** How long the thread may work between two answers. */
  readonly patienceMs?: number;
  readonly memoryMb?: number;
}

/** Threads run what is built, also where the rest comes from the sources. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../../dist/batch/rows/xlsx/worker.js' : './worker.js',
  import.meta.url,
);
const PATIENCE_MS = 30_000;
const MEMORY_MB = 768;

/** Threads at once, however many uploads come: each may take the memory above. */
let free = 2;
const waiting: (() => void)[] = [];

async function enter(): Promise<void> {
  if (free > 0) free -= 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

function leave(): void {
  const next = waiting.shift();
  if (next === undefined) free += 1;
  else next();
}

/** The name of the sheet comes first, then its rows. */
export async function* readSheetRows(
  bytes: Uint8Array,
  { sheet, patienceMs = PATIENCE_MS, memoryMb = MEMORY_MB }: SheetThreadParams = {},
): AsyncGenerator<Exclude<SheetAnswer, { type: 'end' | 'refused' }>> {
  await enter();
  try {
    yield* answersOf(bytes, { sheet, patienceMs, memoryMb });
  } finally {
    leave();
  }
}

async function* answersOf(
  bytes: Uint8Array,
  { sheet, patienceMs, memoryMb }: Required<Omit<SheetThreadParams, 'sheet'>> & SheetThreadParams,
): AsyncGenerator<Exclude<SheetAnswer, { type: 'end' | 'refused' }>> {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const order: SheetOrder = { bytes, sheet, taken };
  const worker = startLimitedThread(SCRIPT, order, memoryMb);
  const stop = new AbortController();
  // The timer runs only while the thread works, not while the reader is busy with the rows before: then the thread
  // waits, too.
  let patience: NodeJS.Timeout | undefined;
  const answers = on(worker, 'message', { signal: stop.signal, close: ['exit'] });
  try {
    for (;;) {
      patience = setTimeout(() => stop.abort(), patienceMs);
      const next = await answers.next();
      clearTimeout(patience);
      if (next.done === true) throw new Error('The thread went away before the last row.');
      const [answer] = next.value as [SheetAnswer];
      if (answer.type === 'end') return;
      if (answer.type === 'refused') throw new DocumentError('invalid_rows', answer.message);
      yield answer;
      if (answer.type === 'rows') {
        Atomics.add(taken, 0, 1);
        Atomics.notify(taken, 0);
      }
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error;
    const isTooMuch = stop.signal.aborted || isOutOfMemory(error);
    throw new DocumentError(
      'invalid_rows',
      isTooMuch
        ? 'The XLSX takes too much memory or time to read. Save the sheet as CSV and send that.'
        : 'The XLSX cannot be read. Open it in a spreadsheet program, save it again, or save the sheet as CSV.',
      { cause: error },
    );
  } finally {
    clearTimeout(patience);
    await worker.terminate();
  }
}
