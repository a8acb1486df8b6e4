import { UsageError } from './line/usage-error.ts';

/** Bytes as text, piece by piece. What is no text is refused: a letter that became `�` would be looked for in vain. */
export interface TextReader {
  read(bytes: Uint8Array): string;
  /** What is left, at the end. */
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
      // Two bytes tell the encoding.
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
