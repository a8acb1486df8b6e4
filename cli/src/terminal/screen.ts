import { type Paint, paintFor } from '../render/colour.ts';

/** The terminal properties of a process's stream. */
export interface Stream {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Somewhere to write: a terminal, or a pipe or file, which is not cut, coloured or redrawn. */
export interface Screen {
  readonly isTerminal: boolean;
  /** Whether lines can be redrawn in place. */
  readonly isLive: boolean;
  /** Read at each use: windows change their size. */
  readonly columns: number;
  readonly rows: number;
  readonly paint: Paint;
  write(text: string): void;
  line(text: string): void;
}

export function createScreen(stream: Stream, env: Environment): Screen {
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    isLive: isTerminal && env['TERM'] !== 'dumb',
    get columns() {
      // A terminal that does not know its size says 0.
      return isTerminal ? stream.columns || 80 : Infinity;
    },
    get rows() {
      return isTerminal ? stream.rows || 24 : Infinity;
    },
    paint: paintFor(isTerminal, env),
    write: (text) => void stream.write(text),
    line: (text) => void stream.write(`${text}\n`),
  };
}
