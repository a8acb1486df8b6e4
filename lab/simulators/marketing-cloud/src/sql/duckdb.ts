import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The part of `@duckdb/node-api` that is used. The package itself is in a folder of its own, and often not installed. */
export interface Duckdb {
  readonly DuckDBInstance: {
    create(path: string, options: Readonly<Record<string, string>>): Promise<DuckdbInstance>;
  };
}

export interface DuckdbInstance {
  connect(): Promise<DuckdbConnection>;
  closeSync(): void;
}

export interface DuckdbConnection {
  run(sql: string): Promise<DuckdbResult>;
  runAndReadAll(sql: string): Promise<DuckdbReader>;
  createAppender(table: string, schema: string): Promise<DuckdbAppender>;
  interrupt(): void;
  closeSync(): void;
}

export type DuckdbRows = readonly (readonly (string | number | boolean | null)[])[];

export interface DuckdbResult {
  /** Two thousand rows at a time. */
  yieldRowsJson(): AsyncIterable<DuckdbRows>;
}

export interface DuckdbReader {
  columnNames(): string[];
  /** Numbers that JSON cannot hold, dates and moments are texts. */
  getRowsJson(): DuckdbRows;
}

export interface DuckdbAppender {
  appendVarchar(value: string): void;
  appendNull(): void;
  endRow(): void;
  closeSync(): void;
}

/** The part of `@polyglot-sql/sdk` that is used: 23 MB of WebAssembly, so it stands beside DuckDB. */
export interface SqlParser {
  parse(
    sql: string,
    dialect: string,
  ): { readonly success: boolean; readonly ast?: unknown; readonly error?: string };
  generate(
    statements: unknown,
    dialect: string,
  ): { readonly success: boolean; readonly sql?: readonly string[] };
}

/** Only after `ensureDuckdb`, which installs it too. */
export async function loadParser(): Promise<SqlParser> {
  return (await import(new URL('parser.mjs', FOLDER).href)) as SqlParser;
}

/** The same from `src/sql` and from `dist/sql`. */
const FOLDER = new URL('../../duckdb/', import.meta.url);

export interface EnsureOptions {
  /** False: what is missing is an error. */
  readonly install: boolean;
  readonly log: (line: string) => void;
  /** Where its package.json is. */
  readonly folder?: URL;
}

/** DuckDB is missing, and the message says what to do about it. */
export class DuckdbMissing extends Error {
  override readonly name = 'DuckdbMissing';
  readonly code = 'duckdb_missing';
}

/** Loads DuckDB, and installs it before where that is wanted: 95 MB that nobody has to have who runs no SQL here. */
export async function ensureDuckdb(options: EnsureOptions): Promise<Duckdb> {
  const { install, log, folder: place = FOLDER } = options;
  const found = resolve(place);
  if (found !== null) return load(found);
  const folder = fileURLToPath(place);
  if (!install) {
    throw new DuckdbMissing(
      `The simulated Marketing Cloud runs SQL on DuckDB, which is not installed. Run "npm ci" in ${folder}.`,
    );
  }
  log('Installing DuckDB (95 MB, once): the simulated Marketing Cloud runs its SQL on it.');
  const failure = await npmCi(folder);
  const installed = failure === null ? resolve(place) : null;
  if (installed !== null) return load(installed);
  throw new DuckdbMissing(
    `DuckDB could not be installed, which the simulated Marketing Cloud runs SQL on. With a network, run "npm ci" in ${folder}. npm said: ${failure ?? 'that it is installed, and it is not there'}`,
  );
}

function resolve(folder: URL): string | null {
  try {
    const installed = createRequire(new URL('package.json', folder));
    installed.resolve('@polyglot-sql/sdk'); // one that was installed before it came to stand here has none
    return installed.resolve('@duckdb/node-api');
  } catch {
    return null;
  }
}

async function load(path: string): Promise<Duckdb> {
  const loaded = (await import(pathToFileURL(path).href)) as { default?: Duckdb } & Duckdb;
  return loaded.default ?? loaded;
}

/** Null: it is done. Otherwise why not, in npm's words. */
async function npmCi(cwd: string): Promise<string | null> {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  let said = '';
  const code = await new Promise<number | null>((settle) => {
    // On Windows npm is a batch file, which only a shell starts; none of the words has a space.
    const [program, words] =
      process.platform === 'win32'
        ? ['cmd.exe', ['/d', '/s', '/c', ['npm', ...args].join(' ')]]
        : ['npm', args];
    const child = spawn(program, words, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    child.on('error', (error) => {
      said += error.message;
      settle(null);
    });
    child.on('close', settle);
  });
  return code === 0 ? null : reasonIn(said) || `exit code ${code}`;
}

const MOST_SAID = 500;

/** The reason that npm gave: its last lines only say where the log is, and how npm ci is called. */
export function reasonIn(said: string): string {
  const lines = said.split('\n').map((line) => line.replace(/^npm (error|ERR!)\s*/i, '').trim());
  const isUsage = lines.findIndex((line) => /^(Clean install a project|Usage:)/.test(line));
  return lines
    .slice(0, isUsage === -1 ? undefined : isUsage)
    .filter((line) => line !== '' && !/^A complete log of this run|_logs\/.*\.log$/.test(line))
    .join(' ')
    .slice(0, MOST_SAID);
}
