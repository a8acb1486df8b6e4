import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Why a job file cannot be loaded, with the file and the line in which it went wrong: `… (jobs/shared/rates.ts:7)`. */
export function loadErrorInWords(error: unknown, path: string, folder: string): string {
  const { sentence, place } = esbuildProblem(error, folder) ?? nodeProblem(error, path, folder);
  return `${sentence}${place === null ? '' : ` (${place.file}:${place.line})`}`;
}

interface LoadProblem {
  readonly sentence: string;
  readonly place: Place | null;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** `/…/greet.ts:2:6: ERROR: Expected identifier but found "="`; of several, the first. */
function esbuildProblem(error: unknown, folder: string): LoadProblem | null {
  const [, file, line, why] = /^(.+):(\d+):\d+: ERROR: (.*)$/m.exec(messageOf(error)) ?? [];
  if (file === undefined || line === undefined || why === undefined) return null;
  return { sentence: why, place: { file: asWritten(file, folder), line: Number(line) } };
}

function nodeProblem(error: unknown, path: string, folder: string): LoadProblem {
  const sentence = messageOf(error);
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = importIn(sentence, path, folder) ?? frameOf(stack, folder);
  return { sentence, place };
}

/** Node names what was imported, in quotes, and no line of the source: the first line that has it is meant. */
function importIn(sentence: string, path: string, folder: string): Place | null {
  const [, missing, importer] =
    /^Cannot find module '([^']+)' imported from (.+)$/.exec(sentence) ?? [];
  if (missing !== undefined && importer !== undefined)
    return lineIn(importer, asWritten(importer, folder), (word) =>
      /^\.\.?\//.test(word) ? resolve(dirname(importer), word) === missing : false,
    );
  const [, imported] =
    /^(?:Cannot find package|The requested module) '([^']+)'/.exec(sentence) ?? [];
  return imported === undefined ? null : lineIn(path, path, (word) => word === imported);
}

/** The first line with a word in quotes that is meant. */
function lineIn(path: string, file: string, isMeant: (word: string) => boolean): Place | null {
  const index = readFileSync(path, 'utf8')
    .split('\n')
    .findIndex((line) =>
      [...line.matchAll(/(['"])(.*?)\1/g)].some(([, , word = '']) => isMeant(word)),
    );
  return index < 0 ? null : { file, line: index + 1 };
}

/** The first place in the stack that is people's own: in the folder, or below it. */
function frameOf(stack: string, folder: string): Place | null {
  const own = realpathSync(folder);
  // A path begins as one does, since it may have spaces in it.
  const places = /(?:\(|at )((?:file:\/\/|[A-Z]:)?[\\/].+?):(\d+):\d+\)?$/gm;
  for (const [, place = '', line] of stack.matchAll(places)) {
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (file.startsWith(join(own, '/')))
      return { file: asWritten(file, folder), line: Number(line) };
  }
  return null;
}

/** Under the name that people gave the folder: Node knows files by their real path. */
function asWritten(file: string, folder: string): string {
  const own = realpathSync(folder);
  return file.startsWith(join(own, '/')) ? join(folder, file.slice(own.length)) : file;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
