import { readCsv } from './rows-csv.ts';
import { DocumentError } from './errors.ts';
import { ROW_LIMITS, type Row } from './row.ts';

export type RowFormat = 'json' | 'jsonl' | 'csv';

/** Rows that are there already, or bytes in one of the formats. */
export type RowSource =
  | { readonly rows: Iterable<unknown> | AsyncIterable<unknown> }
  | {
      readonly format: RowFormat;
      readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
      /** Of CSV. Left out: the one that the first line has most of. */
      readonly delimiter?: ',' | ';' | '\t' | '|' | undefined;
    };

export function readRows(source: RowSource): AsyncGenerator<Row> {
  if ('rows' in source) return fromValues(source.rows);
  const texts = decoded(source.bytes instanceof Uint8Array ? [source.bytes] : source.bytes);
  switch (source.format) {
    case 'json':
      return readJson(texts);
    case 'jsonl':
      return readJsonLines(texts);
    case 'csv':
      return readCsv(texts, source.delimiter);
  }
}

/** UTF-8, or UTF-16 as spreadsheets write it, told by the mark at the beginning. */
async function* decoded(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  try {
    for await (const chunk of source) {
      const isUtf16 = chunk[0] === 0xff && chunk[1] === 0xfe;
      decoder ??= new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true });
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder?.decode() ?? '';
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new DocumentError('invalid_rows', 'The rows are not UTF-8. Save the file as UTF-8.', {
      cause: error,
    });
  }
}

async function* fromValues(
  values: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<Row> {
  let line = 0;
  for await (const value of values) {
    line += 1;
    yield rowOf(value, line);
  }
}

export function rowOf(value: unknown, line: number): Row {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { line, error: 'The row is no object, such as {"Name": "Ann"}.' };
  return { line, data: value as Record<string, unknown> };
}

async function* readJson(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let text = '';
  for await (const part of texts) {
    text += part;
    if (text.length > ROW_LIMITS.jsonBytes)
      throw new DocumentError(
        'invalid_rows',
        'A JSON array is read as a whole, and this one is too large. Send JSON Lines: one object a line.',
      );
  }
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError('invalid_rows', `The rows are not JSON: ${why}`, { cause: error });
  }
  if (!Array.isArray(values))
    throw new DocumentError('invalid_rows', 'The rows are not a JSON array of objects.');
  yield* fromValues(values);
}

async function* readJsonLines(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const { line, text } of linesOf(texts)) {
    if (text === null)
      yield { line, error: `The line has more than ${ROW_LIMITS.rowBytes} characters.` };
    else if (text.trim() !== '') yield parsedLine(text, line);
  }
}

function parsedLine(text: string, line: number): Row {
  try {
    return rowOf(JSON.parse(text), line);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { line, error: `The line is not JSON: ${why}` };
  }
}

/** `text` is null for a line too long to keep. */
async function* linesOf(
  texts: AsyncIterable<string>,
): AsyncGenerator<{ line: number; text: string | null }> {
  let line = 1;
  let kept = '';
  let isTooLong = false;
  for await (const part of texts) {
    const pieces = part.split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield { line, text: isTooLong ? null : kept };
        line += 1;
        kept = '';
        isTooLong = false;
      }
      if (kept.length + piece.length > ROW_LIMITS.rowBytes) isTooLong = true;
      else kept += piece;
    }
  }
  if (kept !== '' || isTooLong) yield { line, text: isTooLong ? null : kept };
}
