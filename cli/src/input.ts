import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Context } from './context.ts';
import { UsageError } from './line/usage-error.ts';

/** Where data comes from: a file, or standard input. */
export interface Input {
  /** For sentences: `The file "a.json"`. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** The size of a file; null if unknown. */
  readonly bytes: number | null;
}

export async function openInput(
  { world, note }: Context,
  file: string | undefined,
): Promise<Input> {
  if (file !== undefined && file !== '-') return openFile(file, world.interrupted);
  if (world.stdin.isTTY === true) note('Reading from the terminal; Ctrl-D ends.');
  addAbortSignal(world.interrupted, world.stdin);
  return { name: 'Standard input', chunks: world.stdin, bytes: null };
}

async function openFile(file: string, signal: AbortSignal): Promise<Input> {
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      await handle.close();
      throw new UsageError(`"${file}" is a folder, not a file.`);
    }
    const { size } = stats;
    return {
      name: `The file "${file}"`,
      chunks: addAbortSignal(signal, handle.createReadStream()),
      bytes: size,
    };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (code === 'ENOENT') throw new UsageError(`File not found: "${file}".`);
    if (code === 'EACCES') throw new UsageError(`No permission to read the file "${file}".`);
    throw thrown;
  }
}

export async function readBytes({ chunks }: Input): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(Buffer.from(chunk));
  return new Uint8Array(Buffer.concat(parts));
}

export async function readAll({ name, chunks }: Input): Promise<string> {
  const reader = createTextReader(name);
  let text = '';
  for await (const chunk of chunks) text += reader.read(Buffer.from(chunk));
  return text + reader.end();
}

export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Read so far, this line included. */
  readonly bytesRead: number;
}

/**
 * The lines that are not empty. Not node:readline, which ends a line at U+2028 too: inside of a JSON
 * string that is an ordinary character.
 */
export async function* linesOf({ name, chunks }: Input): AsyncGenerator<Line> {
  const reader = createTextReader(name);
  let rest = '';
  let number = 0;
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    const parts = (rest + reader.read(Buffer.from(chunk))).split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) {
      number += 1;
      if (text.trim() !== '') yield { text, number, bytesRead };
    }
  }
  rest += reader.end();
  if (rest.trim() !== '') yield { text: rest, number: number + 1, bytesRead };
}

/** The data for a template. */
export async function readObject(context: Context, file: string): Promise<Record<string, unknown>> {
  const where = file === '-' ? 'Standard input' : `The file "${file}"`;
  if (/\.(?:csv|tsv|xlsx?|ods|jsonl)$/i.test(file))
    throw new UsageError(
      `${where} has rows. This command takes one JSON object; "millrace batch" takes rows.`,
    );
  const value = parseJson(await readAll(await openInput(context, file)), where);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new UsageError(`${where} is not an object, such as {"Name": "Ada"}.`);
  return value as Record<string, unknown>;
}

/** A value that a person typed or a file has; `where` names it in the sentence, `advice` ends it. */
export function parseJson(text: string, where: string, advice?: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? thrown.message : String(thrown);
    throw new UsageError(
      `${where} is not JSON: ${why}${advice === undefined ? '' : `. ${advice}`}`,
    );
  }
}

/** Bytes as text, piece by piece. What is no text is refused: a letter that became `�` would be looked for in vain. */
interface TextReader {
  read(bytes: Uint8Array): string;
  /** The remaining bytes, at the end. */
  end(): string;
}

/** `where` names the bytes in the sentence: `The file "a.sql"`. */
export function createTextReader(where: string): TextReader {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let first = Buffer.alloc(0);

  function decoded(bytes: Uint8Array, stream: boolean): string {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    try {
      const text = decoder.decode(bytes, { stream });
      if (!text.includes('\0')) return text;
    } catch {
      if (decoder.encoding === 'utf-8' && !bytes.includes(0))
        throw new UsageError(`${where} is not UTF-8: save it as UTF-8.`);
    }
    throw new UsageError(`${where} is not a text file.`);
  }

  return {
    read(bytes) {
      if (decoder !== null) return decoded(bytes, true);
      // The first two bytes give the encoding.
      first = Buffer.concat([first, bytes]);
      return first.length < 2 ? '' : decoded(first, true);
    },
    end: () => decoded(decoder === null ? first : new Uint8Array(), false),
  };
}

/** Windows' Notepad and PowerShell write UTF-16 with a mark of its byte order. */
function encodingOf([one, two]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : 'utf-8';
}
