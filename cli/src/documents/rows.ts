import type { Context } from '../context.ts';
import { type Input, openInput } from '../input.ts';
import { bar, percent } from '../render/bar.ts';
import { createLive } from '../render/live.ts';
import { size } from '../render/number.ts';
import { UsageError } from '../line/usage-error.ts';

const TYPES = {
  csv: 'text/csv',
  tsv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
} as const;

export interface Rows {
  readonly type: (typeof TYPES)[keyof typeof TYPES];
  readonly bytes: ReadableStream<Uint8Array>;
  /** Takes what shows its way off the screen. */
  end(): void;
}

/** The rows of a batch, as a stream: they may be more than memory holds. A file says by its name what it is. */
export async function openRows(context: Context, file: string): Promise<Rows> {
  const named = file === '-' ? null : typeByName(file);
  const input = await openInput(context, file);
  const { type, chunks } = named === null ? await sniffed(input) : { type: named, ...input };
  const progress = progressOf(context, input.bytes);
  return { type, bytes: ReadableStream.from(watched(chunks, progress.show)), end: progress.end };
}

function typeByName(file: string): Rows['type'] {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(TYPES, ending)) return TYPES[ending as keyof typeof TYPES];
  if (ending === 'xls')
    throw new UsageError(`"${file}" is an old Excel file. Save it as .xlsx or .csv first.`);
  throw new UsageError(`Unknown format of "${file}": use a .csv, .xlsx, .json or .jsonl file.`);
}

type Chunks = Input['chunks'];

const ZIP = Buffer.from('PK\u0003\u0004');

/** Standard input has no name: an array begins with [, JSON Lines with {, XLSX with PK and a 3, and CSV with none. */
async function sniffed({ chunks }: Input): Promise<{ type: Rows['type']; chunks: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let sign: string | undefined;
  while (sign === undefined) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    read.push(Buffer.from(value));
    sign = /[^\s\uFEFF]/.exec(Buffer.from(value).toString('utf8'))?.[0];
  }
  const isZip = Buffer.concat(read).subarray(0, 4).equals(ZIP);
  const plain = sign === '[' ? TYPES.json : sign === '{' ? TYPES.jsonl : TYPES.csv;
  const type = isZip ? TYPES.xlsx : plain;
  return { type, chunks: chained(read, { [Symbol.asyncIterator]: () => iterator }) };
}

async function* chained(read: readonly Uint8Array[], rest: Chunks): AsyncGenerator<Uint8Array> {
  yield* read;
  for await (const chunk of rest) yield Buffer.from(chunk);
}

async function* watched(chunks: Chunks, show: (sent: number) => void): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of chunks) {
    yield Buffer.from(chunk);
    sent += chunk.length;
    show(sent);
  }
}

function progressOf({ err, json, quiet }: Context, bytes: number | null) {
  const live = err.isLive && !json && !quiet ? createLive(err) : null;
  return {
    show(sent: number): void {
      const fraction = bytes === null || bytes === 0 ? null : sent / bytes;
      const measured =
        fraction === null
          ? ''
          : `${bar(fraction, 30, err.paint)} ${percent(fraction).padStart(5)}  `;
      live?.draw([`${measured}${size(sent)} sent`]);
    },
    end: () => live?.end(),
  };
}
