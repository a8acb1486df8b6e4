import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The numbered files of one owner. The queue's own have no name before them, a workload's have its name. */
export interface Migrations {
  readonly owner: string;
  readonly folder: URL;
}

export const QUEUE: Migrations = {
  owner: '',
  folder: new URL('../migrations/', import.meta.url),
};

/** The name that people know an owner's tables by. */
function partName({ owner }: Migrations): string {
  return owner === '' ? 'queue' : owner;
}

export interface Migration {
  /** As the database remembers it: with the owner before the file. */
  readonly name: string;
  readonly file: string;
  readonly sql: string;
  /**
   * Code that knows the migration of this number, and none after it, goes on working on a database that has this one. Its
   * own number: no older code does.
   */
  readonly compatibleFrom: number;
}

/**
 * A line at the top of a file, such as `-- compatible from: 010`. It is kept in the database, since the code that it is for
 * does not have the file (docs/decisions/0036-schema-versions.md).
 */
const COMPATIBLE_FROM = /^-- compatible from: (\d{3})$/m;

export async function readMigrations({ owner, folder }: Migrations): Promise<Migration[]> {
  const files = (await filesIn(folder)).filter((file) => file.endsWith('.sql')).toSorted();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, folder), 'utf8');
      const [, said] = COMPATIBLE_FROM.exec(sql) ?? [];
      const compatibleFrom = said === undefined ? numberOf(file) : Number(said);
      return { name: `${prefixOf(owner)}${file}`, file, sql, compatibleFrom };
    }),
  );
}

async function filesIn(folder: URL): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new Error(
      `The SQL files of Millrace are not in ${fileURLToPath(folder)}. Was the program bundled? Leave the packages out of the bundle (such as esbuild --packages=external), and install them beside it.`,
      { cause },
    );
  }
}

/** As the database remembers one. */
export type Applied = { readonly name: string; readonly compatible_from: number };

/** How the tables of one owner stand to the files that are here. */
export interface PartState {
  readonly part: string;
  readonly source: Migrations;
  /** The newest file that the database has; null: none. */
  readonly version: string | null;
  readonly pending: readonly Migration[];
  /** Files of a newer Millrace that the database has, and that this one can go on with. */
  readonly newer: readonly string[];
}

type SchemaCode =
  | 'schema_too_new'
  | 'schema_behind'
  | 'schema_locked'
  | 'migration_failed'
  | 'right_missing';

/** The schema is not one that this code can work on, or not for this role. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
  readonly code: SchemaCode;
  constructor(code: SchemaCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Throws `SchemaRefused` where the database is too new for this code. */
export function stateOf(
  source: Migrations,
  known: readonly Migration[],
  applied: readonly Applied[],
): PartState {
  const part = partName(source);
  const own = applied.filter(({ name }) => isOf(source.owner, name));
  const has = new Set(own.map(({ name }) => name));
  const pending = known.filter(({ name }) => !has.has(name));
  const newer = own.filter(({ name }) => !known.some((each) => each.name === name));
  const newest = numberOf(known.at(-1)?.file ?? '');
  const breaking = newer.filter(({ compatible_from: from }) => pending.length > 0 || from > newest);
  if (breaking.length > 0) throw tooNew(part, breaking, newest);
  return {
    part,
    source,
    version: own.map(({ name }) => fileOf(name)).at(-1) ?? null,
    pending,
    newer: newer.map(({ name }) => fileOf(name)),
  };
}

function tooNew(part: string, breaking: readonly Applied[], newest: number): SchemaRefused {
  const files = breaking.map(({ name }) => fileOf(name)).join(', ');
  const knows =
    newest === 0
      ? 'knows none of its migrations'
      : `knows its migrations up to ${String(newest).padStart(3, '0')}`;
  return new SchemaRefused(
    'schema_too_new',
    `The database was set up by a newer Millrace (${part}: ${files}), with which this one cannot work: it ${knows}. Update this one, or restore the backup from before the update (docs/operations/upgrade.md).`,
  );
}

/** Files are numbered by their first three digits. */
function numberOf(file: string): number {
  return Number.parseInt(file, 10) || 0;
}

function prefixOf(owner: string): string {
  return owner === '' ? '' : `${owner}/`;
}

function isOf(owner: string, name: string): boolean {
  return name.includes('/') ? owner !== '' && name.startsWith(prefixOf(owner)) : owner === '';
}

function fileOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
