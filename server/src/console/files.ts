import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

/** A file of the built console: as it is, and compressed by the build where that is worth it. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gz: Buffer | null;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
  png: 'image/png',
};

/**
 * The files of the console by their path, or null where it was not built. They are read once, into memory (about 4 MB): a
 * request then touches no path of the disk, so no request can name one that is not meant.
 */
export function readConsole(folder = consoleFolder()): ReadonlyMap<string, ConsoleFile> | null {
  if (folder === null) return null;
  const all = new Map<string, Buffer>();
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      all.set(relative(folder, path).split(sep).join('/'), readFileSync(path));
    }
  } catch {
    return null;
  }
  if (!all.has('index.html')) return null;
  const files = new Map<string, ConsoleFile>();
  for (const [path, plain] of all) {
    const type = TYPES[path.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    files.set(path, {
      type,
      plain,
      br: all.get(`${path}.br`) ?? null,
      gz: all.get(`${path}.gz`) ?? null,
    });
  }
  return files;
}

function consoleFolder(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('@millrace/console/package.json');
    return join(dirname(manifest), 'dist');
  } catch {
    return null;
  }
}
