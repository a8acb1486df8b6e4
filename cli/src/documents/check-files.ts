import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Context } from '../context.ts';
import type { FileTrial, Workbench } from './local-office.ts';
import { UsageError } from '../line/usage-error.ts';

/** The result for one file: the first failed step, if any. */
export interface CheckedFile {
  readonly file: string;
  readonly works: boolean;
  readonly compiled: boolean;
  /** Null where it was not tried. */
  readonly converted: boolean | null;
  readonly failure: CheckFailure | null;
  /** Text of the template that the document made from it lacks. */
  readonly lostText: readonly string[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

export interface CheckFailure {
  readonly step: 'read' | 'lint' | 'compile' | 'merge' | 'convert';
  /** Null for what nobody meant to throw: a fault of Millrace, not of the file. */
  readonly code: string | null;
  readonly message: string;
}

const WORD_FILE = /\.do[ct][xm]$/i;
const LARGEST = 50 * 1024 * 1024;

/** The Word files of a folder and of all within it, by name; or the one file. */
export async function wordFiles(path: string): Promise<{ root: string; files: string[] }> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new UsageError(`Folder not found: "${path}".`);
  if (!found.isDirectory()) return { root: dirname(path), files: [basename(path)] };
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    // Word keeps a file "~$letter.docx" beside one that is open.
    .filter((entry) => entry.isFile() && WORD_FILE.test(entry.name) && !entry.name.startsWith('~$'))
    .map((entry) => relative(path, join(entry.parentPath, entry.name)));
  if (files.length === 0)
    throw new UsageError(`No Word files (.docx, .docm, .dotx, .dotm) in "${path}".`);
  return { root: path, files: files.toSorted() };
}

/** Several at a time; they are given in the order in which they are done. */
export async function checkFiles(
  { world }: Pick<Context, 'world'>,
  bench: Workbench,
  { root, files, atOnce }: { root: string; files: readonly string[]; atOnce: number },
  onChecked: (checked: CheckedFile) => void,
): Promise<void> {
  const left = files.toReversed();
  const take = async (): Promise<void> => {
    for (let file = left.pop(); file !== undefined; file = left.pop()) {
      const checked = await checkFile(bench, file, join(root, file));
      world.interrupted.throwIfAborted();
      onChecked(checked);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, take));
}

async function checkFile(bench: Workbench, file: string, path: string): Promise<CheckedFile> {
  const bytes = await bytesOf(path);
  if (!(bytes instanceof Uint8Array)) return resultOf(file, { failure: bytes });
  const trial = await bench.tryOut(bytes);
  const tried = bench.convert !== null && trial.docx !== null;
  const failed = tried ? await bench.convert(trial.docx) : null;
  return resultOf(file, {
    trial,
    converted: tried ? failed === null : null,
    failure: trial.failure ?? (failed && { step: 'convert', ...failed }),
  });
}

async function bytesOf(path: string): Promise<Uint8Array | CheckFailure> {
  try {
    const { size } = await stat(path);
    if (size <= LARGEST) return await readFile(path);
    return { step: 'read', code: 'too_large', message: 'A template may have 50 MB at most.' };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { step: 'read', code: 'not_readable', message };
  }
}

function resultOf(
  file: string,
  parts: { failure: CheckFailure | null; trial?: FileTrial; converted?: boolean | null },
): CheckedFile {
  const { failure, trial, converted = null } = parts;
  const lostText = trial?.lost ?? [];
  const warnings = (trial?.problems ?? []).filter(({ severity }) => severity === 'warning');
  return {
    file,
    works: failure === null && lostText.length === 0,
    compiled: trial?.compiled ?? false,
    converted,
    failure,
    lostText,
    warnings: warnings.map(({ code, message }) => ({ code, message })),
  };
}
