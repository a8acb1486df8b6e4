import { type TableAnswer, answersOf, createSlots } from '../reading-thread.ts';

/**
 * The rows of a sheet, read in a thread. 50,000 rows of 10 columns (2 MB) take about a second and 200 MB there
 * (docs/decisions/0016-spreadsheets.md).
 */
export interface SheetOrder {
  readonly bytes: Uint8Array;
  readonly sheet: string | undefined;
  readonly taken: Int32Array;
}

export interface SheetThreadParams {
  readonly sheet?: string | undefined;
  readonly by?: string | undefined;
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
const SENTENCES = {
  tooMuch: 'The XLSX takes too much memory or time to read. Save the sheet as CSV and send that.',
  unreadable:
    'The XLSX cannot be read. Open it in a spreadsheet program, save it again, or save the sheet as CSV.',
};

const slots = createSlots(2);

/** The name of the sheet comes first, then its rows. */
export async function* readSheetRows(
  bytes: Uint8Array,
  { sheet, by, patienceMs = PATIENCE_MS, memoryMb = MEMORY_MB }: SheetThreadParams = {},
): AsyncGenerator<TableAnswer> {
  await slots.enter(by);
  try {
    const order = { bytes, sheet };
    yield* answersOf({ script: SCRIPT, order, patienceMs, memoryMb, sentences: SENTENCES });
  } finally {
    slots.leave(by);
  }
}
