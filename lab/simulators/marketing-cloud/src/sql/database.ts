import type { Clock } from '@millrace/simulator-kit';
import type { DataExtension, Unit } from '../data/account.ts';
import { sqlTime } from '../data/dates.ts';
import type { Field } from '../data/fields.ts';
import type { Settings } from '../options.ts';
import { type DuckdbConnection, ensureDuckdb } from './duckdb.ts';
import { generateViews, schemaOf } from './generate.ts';
import { MACROS } from './macros.ts';

/** DuckDB with the data views in it, and with the data extensions that queries asked for. */
interface Database {
  /**
   * Runs with a connection of its own, which is interrupted when the signal ends. Without a signal it is a check, which does not wait
   * behind queries.
   */
  use<T>(
    signal: AbortSignal | null,
    work: (connection: DuckdbConnection) => Promise<T>,
  ): Promise<T>;
  /** Makes the rows of a data extension those of its table. */
  refresh(connection: DuckdbConnection, unit: Unit, dataExtension: DataExtension): Promise<void>;
  close(): void;
}

/** As SQL Server compares (case does not matter), divides (5 / 2 is 2) and orders (NULL first). */
const SESSION = [
  "SET default_collation = 'nocase'",
  'SET integer_division = true',
  "SET default_null_order = 'nulls_first_on_asc_last_on_desc'",
];

/**
 * DuckDB works on the four threads on which Node reads files and looks up names. Queries of hours on all of them stopped the whole
 * process (a stat of 0 ms took 44 s), so no more than two statements run at once; a third one may be checked beside them.
 */
const AT_ONCE = { run: 2, check: 1 };

export async function openDatabase(
  settings: Settings,
  clock: Clock,
  mids: readonly string[],
): Promise<Database> {
  const { DuckDBInstance } = await ensureDuckdb({
    install: settings.installDuckdb,
    log: settings.log,
  });
  const instance = await DuckDBInstance.create(':memory:', {
    // One is enough for what is here, and two are slower where the cores have other work.
    threads: '1',
    memory_limit: '1GB',
    // Queries see what is here and nothing else of this machine.
    enable_external_access: 'false',
  });
  const loaded = new Map<string, Pick<DataExtension, 'rows' | 'fields'>>();
  const [runs, checks] = [createTurns(AT_ONCE.run), createTurns(AT_ONCE.check)];
  let loading = Promise.resolve();

  async function connect(): Promise<DuckdbConnection> {
    const connection = await instance.connect();
    for (const statement of SESSION) await connection.run(statement);
    return connection;
  }

  const first = await connect();
  const { seed, sampleSize: size } = settings;
  const now = sqlTime(clock.now());
  for (const statement of [...MACROS, ...generateViews({ mids, now, seed, size })]) {
    await first.run(statement);
  }
  first.closeSync();

  async function load(
    connection: DuckdbConnection,
    unit: Unit,
    source: DataExtension,
  ): Promise<void> {
    const before = loaded.get(source.objectId);
    if (before?.rows === source.rows && before.fields === source.fields) return;
    await fill(connection, unit, source);
    loaded.set(source.objectId, { rows: source.rows, fields: source.fields });
  }

  async function connected<T>(
    signal: AbortSignal | null,
    work: (connection: DuckdbConnection) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const connection = await connect();
    const interrupt = (): void => connection.interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
    try {
      signal?.throwIfAborted();
      return await work(connection);
    } finally {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
    }
  }

  return {
    use: (signal, work) => (signal === null ? checks : runs)(() => connected(signal, work)),
    // One after the other: two that replace the same table at once would be in conflict.
    refresh(connection, unit, source) {
      const done = loading.then(() => load(connection, unit, source));
      loading = done.catch(() => {});
      return done;
    },
    close: () => instance.closeSync(),
  };
}

/** The name of a table for a data extension: names may have letters that names of tables may not. */
export function tableOf({ objectId }: DataExtension): string {
  return `de_${objectId}`;
}

async function fill(
  connection: DuckdbConnection,
  unit: Unit,
  source: DataExtension,
): Promise<void> {
  const { fields, rows } = source;
  const schema = schemaOf(unit.mid);
  const staging = `new_${tableOf(source)}`;
  const texts = fields.map((_, place) => `c${place} VARCHAR`).join(', ');
  await connection.run(`CREATE OR REPLACE TABLE ${schema}.${quote(staging)} (${texts})`);
  const appender = await connection.createAppender(staging, schema);
  for (const row of rows) {
    for (const { name } of fields) {
      const value = row[name] ?? null;
      if (value === null) appender.appendNull();
      else appender.appendVarchar(value);
    }
    appender.endRow();
  }
  appender.closeSync();
  const columns = fields.map(
    (field, place) => `CAST(c${place} AS ${sqlType(field)}) AS ${quote(field.name)}`,
  );
  await connection.run(
    `CREATE OR REPLACE TABLE ${schema}.${quote(tableOf(source))} AS SELECT ${columns.join(', ')} FROM ${schema}.${quote(staging)}`,
  );
  await connection.run(`DROP TABLE ${schema}.${quote(staging)}`);
}

export function sqlType({ type, maxLength, scale }: Field): string {
  switch (type) {
    case 'Number':
      return 'INTEGER';
    case 'Decimal':
      return `DECIMAL(${Math.min(38, maxLength ?? 18)}, ${scale})`;
    case 'Boolean':
      return 'BOOLEAN';
    case 'Date':
      return 'TIMESTAMP';
    default:
      return 'VARCHAR';
  }
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** So many at once; the others wait, first come first served. */
function createTurns(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = places;

  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A place goes from hand to hand: one that were free for a moment could be taken by who has not waited.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
