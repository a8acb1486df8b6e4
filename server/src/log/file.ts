import { mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';

/** Then it becomes the one before, and a new one is begun: somebody who leaves `npm start` running must not find the disk full. */
const MOST_BYTES = 10_000_000;

const ERROR = /^[\d:]+ (error|fatal)\b/;

/** All lines go to the file; those about an error, which somebody at the terminal has to know of, are shown as well. */
export function quietScreen(
  write: (line: string) => void,
  show: (line: string) => unknown = (line) => process.stdout.write(line),
): (line: string) => void {
  return (line) => {
    const plain = stripVTControlCharacters(line);
    write(plain);
    if (ERROR.test(plain)) show(line);
  };
}

/**
 * Where a process at a terminal logs, so that its screen keeps what people look for there: the addresses and the sign-in. Null where
 * nothing can be written: then the lines go to the screen.
 */
export function openLogFile(path: string, mostBytes = MOST_BYTES): ((line: string) => void) | null {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const file = pino.destination({ dest: path, sync: true, mode: 0o600 });
    return (line) => {
      if (size > mostBytes) {
        renameSync(path, `${path}.1`);
        file.reopen(path);
        size = 0;
      }
      size += Buffer.byteLength(line);
      file.write(line);
    };
  } catch {
    return null;
  }
}
