import { type TableAnswer, answersOf, createSlots } from './reading-thread.ts';

/** The rows of a CSV, decoded and read in a thread that is given the bytes of the file piece by piece. */
export interface CsvOrder {
  /** Left out: the one that the first line has most of. */
  readonly delimiter: string | undefined;
  /** In which the file may be if it is not UTF-8. */
  readonly codePage: string;
  readonly taken: Int32Array;
}

export interface CsvThreadParams {
  readonly delimiter?: string | undefined;
  readonly codePage?: string;
  readonly by?: string | undefined;
  readonly patienceMs?: number;
  readonly memoryMb?: number;
}

/** Threads run what is built, also where the rest comes from the sources. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/batch/rows/csv-worker.js' : './csv-worker.js',
  import.meta.url,
);
const PATIENCE_MS = 30_000;
/** A row of 10 MB, the pieces that it is made of, and 5 million cells of a line that is only delimiters. */
const MEMORY_MB = 256;
const SENTENCES = {
  tooMuch: 'The CSV takes too much memory or time to read. Split it, or shorten its longest row.',
  unreadable: 'The CSV cannot be read. Save it again as CSV in UTF-8.',
};

/** An upload that comes slowly holds its thread for a minute at most: the server waits no longer for a request. */
const slots = createSlots(8);

/** So many bytes go to the thread at once, also of a file that is there as a whole. */
const PIECE = 65_536;

/** The delimiter comes first, then the rows, and at the end the encoding. */
export async function* readCsvRows(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  {
    delimiter,
    codePage = 'windows-1252',
    by,
    patienceMs = PATIENCE_MS,
    memoryMb = MEMORY_MB,
  }: CsvThreadParams = {},
): AsyncGenerator<TableAnswer> {
  const source = pieces(chunks);
  await slots.enter(by);
  try {
    const more = async () => {
      const next = await source.next();
      return next.done === true ? null : next.value;
    };
    const order = { delimiter, codePage };
    yield* answersOf({ script: SCRIPT, order, patienceMs, memoryMb, more, sentences: SENTENCES });
  } finally {
    slots.leave(by);
    await source.return(undefined);
  }
}

async function* pieces(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunks)
    // A copy: what is posted takes all of the memory behind it along.
    for (let at = 0; at < chunk.length; at += PIECE)
      yield new Uint8Array(chunk.subarray(at, at + PIECE));
}
