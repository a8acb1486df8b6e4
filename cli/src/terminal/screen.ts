import { type Paint, type Style, paintFor } from '../render/colour.ts';
import { wrap } from '../render/width.ts';

/** What a stream of a process says about itself. */
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
  /** Sentences for people, broken between words where the terminal would break them inside of one. */
  say(style: Style, text: string): void;
}

export function createScreen(stream: Stream, env: Environment): Screen {
  const isTerminal = stream.isTTY === true;
  const paint = paintFor(isTerminal, env);
  // A terminal that does not know its size says 0.
  const columns = () => (isTerminal ? stream.columns || 80 : Infinity);
  return {
    isTerminal,
    isLive: isTerminal && env['TERM'] !== 'dumb',
    get columns() {
      return columns();
    },
    get rows() {
      return isTerminal ? stream.rows || 24 : Infinity;
    },
    paint,
    write: (text) => void stream.write(text),
    line: (text) => void stream.write(`${text}\n`),
    say(style, text) {
      // What is indented is a listing, and stays as it is.
      const lines = text
        .split('\n')
        .flatMap((line) => (line.startsWith(' ') ? [line] : wrap(line, columns())));
      stream.write(`${paint(style, lines.join('\n'))}\n`);
    },
  };
}
