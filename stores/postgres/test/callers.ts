import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '../src/database.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));

/** The drivers themselves. */
const DRIVERS = ['pg.ts', 'embedded/pglite.ts', 'database.ts'];

/** Every place in the sources that opens a transaction, as `operations/settle.ts:111`. */
export async function transactionCallers(): Promise<string[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !DRIVERS.includes(file),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(`${SOURCES}${file}`, 'utf8')).split('\n');
      return lines.flatMap((line, index) =>
        line.includes('.transaction(') ? [`${file}:${index + 1}`] : [],
      );
    }),
  );
  return found.flat().toSorted();
}

/** A database that remembers from where transactions were opened on it. */
export function recordCallers<D extends Database>(
  database: D,
): { database: D; callers: Set<string> } {
  const callers = new Set<string>();
  return {
    callers,
    database: {
      ...database,
      transaction(work) {
        const [, , frame = ''] = (new Error('Who calls?').stack ?? '').split('\n');
        callers.add(/src\/(\S+?\.ts:\d+)/.exec(frame.replace(/\?[^:]*/, ''))?.[1] ?? frame);
        return database.transaction(work);
      },
    },
  };
}
