import { setImmediate as immediate } from 'node:timers/promises';
import type { Clock } from '@millrace/simulator-kit';
import { type DataExtension, dataExtensionByName, type Row, type Unit } from '../data/account.ts';
import { sqlTime } from '../data/dates.ts';
import { type Field, fieldNamed } from '../data/fields.ts';
import type { Settings } from '../options.ts';
import { openDatabase, quote, sqlType, tableOf } from './database.ts';
import { type DuckdbConnection, loadParser } from './duckdb.ts';
import { sqlServerMessage, UNFIT } from './messages.ts';
import { QueryError, type Runner, type SqlAnswer, type SqlRequest } from './run-sql.ts';
import { schemaOf } from './generate.ts';
import type { Place } from './sources.ts';
import { untyped } from './typed-macros.ts';
import { DATA_VIEWS, dataViewNamed } from './views.ts';

interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly units: ReadonlyMap<string, Unit>;
}

interface Source {
  readonly unit: Unit;
  readonly dataExtension: DataExtension;
}

/** The way of a query: translated, its data extensions loaded, described, run. DuckDB is opened with the first one. */
export function createDuckdbRunner({ settings, clock, units }: Parts): Runner {
  const database = openOnce(() => openDatabase(settings, clock, [...units.keys()]));

  /** In DuckDB's words, with the data extensions that it is about. */
  async function translated(unit: Unit, sql: string): Promise<{ text: string; sources: Source[] }> {
    await database.get(); // which installs the parser too, where that is wanted
    // Loaded with the first query.
    const [{ translate }, parser] = await Promise.all([import('./translate.ts'), loadParser()]);
    const sources: Source[] = [];
    const find = (prefix: string, name: string): Place | null => {
      const owner = ownerOf(unit, prefix);
      const view = dataViewNamed(name);
      if (owner === null) return null;
      const schema = schemaOf(owner.mid);
      if (view !== null) {
        const types = DATA_VIEWS[view] ?? {};
        return { schema, table: view, columns: Object.keys(types), types: typesOf(types) };
      }
      const dataExtension = dataExtensionByName(owner, name, clock.now());
      if (dataExtension === null) return null;
      if (!sources.some((source) => source.dataExtension === dataExtension))
        sources.push({ unit: owner, dataExtension });
      const { fields } = dataExtension;
      const columns = fields.map((field) => field.name);
      const types = Object.fromEntries(fields.map((field) => [field.name, sqlType(field)]));
      return { schema, table: tableOf(dataExtension), columns, types: typesOf(types) };
    };
    return { text: translate(sql, { now: sqlTime(clock.now()), find, parser }), sources };
  }

  /** `Ent.` is the parent; who has none is it. */
  function ownerOf(unit: Unit, prefix: string): Unit | null {
    if (prefix === '') return unit;
    if (prefix.toLowerCase() !== 'ent') return null;
    return unit.parent === null ? unit : (units.get(unit.parent) ?? null);
  }

  async function prepared<T>(
    { unit, sql, signal }: Pick<SqlRequest, 'unit' | 'sql'> & { signal: AbortSignal | null },
    work: (connection: DuckdbConnection, text: string) => Promise<T>,
  ): Promise<T> {
    const { text, sources } = await translated(unit, sql);
    const base = await database.get();
    return base.use(signal, async (connection) => {
      for (const source of sources)
        await base.refresh(connection, source.unit, source.dataExtension);
      const attempt = async (asked: string): Promise<T | QueryError> => {
        try {
          return await work(connection, asked);
        } catch (thrown) {
          if (thrown instanceof QueryError || !(thrown instanceof Error)) throw thrown;
          return new QueryError(sqlServerMessage(thrown.message));
        }
      };
      const first = await attempt(text);
      if (!(first instanceof QueryError)) return first;
      if (first.message !== UNFIT) throw first;
      const second = await attempt(untyped(text, 'as good'));
      if (!(second instanceof QueryError)) return second;
      throw (await columnMissing(connection, text)) ?? second;
    });
  }

  return {
    run: (request) =>
      prepared(request, async (connection, text) => {
        const columns = await describe(connection, text);
        return select(connection, text, columns, request.target, settings.mostValues);
      }),
    check: (unit, sql) =>
      prepared({ unit, sql, signal: null }, async (connection, text) => {
        await describe(connection, text);
      }),
    async close() {
      const base = await database.opened()?.catch(() => null);
      base?.close();
    },
  };
}

function typesOf(types: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(types).map(([name, type]) => [name.toLowerCase(), type]));
}

/** A name that is not there has no type, which is no reason to speak of types. */
async function columnMissing(
  connection: DuckdbConnection,
  text: string,
): Promise<QueryError | null> {
  try {
    await describe(connection, untyped(text, 'all'));
    return null;
  } catch (thrown) {
    const message = thrown instanceof Error ? sqlServerMessage(thrown.message) : '';
    return /column name|could not be bound/.test(message) ? new QueryError(message) : null;
  }
}

interface Column {
  readonly name: string;
  readonly type: string;
}

async function describe(connection: DuckdbConnection, text: string): Promise<Column[]> {
  const reader = await connection.runAndReadAll(`DESCRIBE ${text}`);
  return reader.getRowsJson().map(([name, type]) => ({ name: String(name), type: String(type) }));
}

/**
 * A value that goes into a text is written as SQL Server writes it: a date has a style, true is 1. No more rows are read than may be kept: a
 * join on JobID alone has billions, and DuckDB's own limit of memory does not count what it has given.
 */
async function select(
  connection: DuckdbConnection,
  text: string,
  columns: readonly Column[],
  target: readonly Field[],
  mostValues: number,
): Promise<SqlAnswer> {
  const most = Math.floor(mostValues / columns.length);
  const names = columns.map(({ name }) => name);
  const places = columns.map(({ name, type }, place) => {
    const field = fieldNamed(target, name);
    const asText = field !== undefined && isText(field) && type !== 'VARCHAR';
    // A column that is NULL in every row has no type of its own, and mc_text one for each: the cast says which.
    return asText ? `mc_text(CAST(c${place} AS ${type})) AS c${place}` : `c${place}`;
  });
  const aliases = columns.map((_, place) => quote(`c${place}`)).join(', ');
  const found = await connection.run(
    `SELECT ${places.join(', ')} FROM (${text}) AS querydef(${aliases}) LIMIT ${most + 1}`,
  );
  const rows: Row[] = [];
  for await (const some of found.yieldRowsJson()) {
    if (rows.length + some.length > most) throw tooManyRows(most);
    for (const row of some)
      rows.push(
        Object.fromEntries(names.map((name, place) => [name, valueOf(row[place] ?? null)])),
      );
    // A million rows take seconds, in a process that has other work.
    await immediate();
  }
  return { columns: names, rows };
}

function tooManyRows(most: number): QueryError {
  return new QueryError(
    `The query gives more than ${most.toLocaleString('en')} rows, which the simulated Marketing Cloud does not keep. A real one would. Narrow it: TOP, WHERE, or the other columns of a join (JobID, ListID, BatchID and SubscriberID).`,
  );
}

function isText({ type }: Field): boolean {
  return type !== 'Number' && type !== 'Decimal' && type !== 'Boolean' && type !== 'Date';
}

function valueOf(value: string | number | boolean | null): string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}

const TRY_AGAIN_MS = 60_000;

/**
 * Opens with the first call, once for all. What failed is tried again by a later call, but not by each: an install takes npm some
 * seconds and asks the network. Until then every call gets the failure that is known.
 */
export function openOnce<T>(
  open: () => Promise<T>,
  now: () => number = () => performance.now(),
): { readonly get: () => Promise<T>; readonly opened: () => Promise<T> | null } {
  let opened: Promise<T> | null = null;
  let failedAt: number | null = null;
  return {
    get() {
      if (opened === null || (failedAt !== null && now() >= failedAt + TRY_AGAIN_MS)) {
        failedAt = null;
        opened = open();
        opened.catch(() => (failedAt = now()));
      }
      return opened;
    },
    opened: () => opened,
  };
}
