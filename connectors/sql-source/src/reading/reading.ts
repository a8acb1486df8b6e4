import type pg from 'pg';
import { OWN, sourceError, SourceError, SourceUnavailable } from '../errors.ts';
import { settingOf } from '../text/bind-names.ts';
import type { BeginOptions, CopiedRows, Cut, PlanNode, Reading, SourceColumn } from '../source.ts';
import { BEFORE_COPIED, copyText, createCopyReader } from './copy.ts';
import { bytesArrived, createSession, type Line, watchProgress } from './session.ts';
import type { KnownTrees } from './parse-tree.ts';
import { createSelectCheck } from './select-only.ts';
import { textRows } from './statements.ts';

interface ReadingOptions extends BeginOptions {
  /** VOLATILE functions that reports may call all the same. */
  readonly allowed: ReadonlySet<string>;
  /** Of one source: what its database has said of SQL. */
  readonly trees: KnownTrees;
  /** Tried once the transaction has begun, each by itself; one that this source does not know is left out. */
  readonly extras?: readonly string[];
}

/** How much later than the database's own timeout ours ends a statement: an answer of the database says more. */
const GRACE_MS = 5_000;

/** Takes over the line: it is ended with the reading, also if there will be none. */
export async function beginReading(line: Line, options: ReadingOptions): Promise<Reading> {
  const { statementTimeoutMs, allowed, trees, signal, extras = [] } = options;
  const { client } = line;
  const session = createSession(line, { answerWithinMs: statementTimeoutMs + GRACE_MS, signal });
  const selects = createSelectCheck({ session, client, allowed, trees });
  let hasTimeout = true;

  async function rowsOf(sql: string, before = ''): Promise<(readonly (string | null)[])[]> {
    await selects.check(sql);
    return session.ask(() => textRows(client, `${before}${sql}`), { sql, before });
  }

  /** From the first COPY on: what statements are allowed is left to `answerWithinMs` then, which saves two questions a chunk. */
  async function dropTimeout(): Promise<void> {
    if (hasTimeout) await session.ask(() => client.query(WITHOUT_TIMEOUT));
    hasTimeout = false;
  }

  async function start(): Promise<void> {
    try {
      await session.ask(() => client.query(beginText(statementTimeoutMs)));
      for (const extra of extras) await session.ask(() => tryExtra(client, extra));
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  async function* copy(sql: string, cut: Cut, values: Values = {}): AsyncGenerator<CopiedRows> {
    await selects.check(sql);
    await dropTimeout();
    const copying = { text: copyText(sql, cut.format), before: settingText(values) };
    const reader = createCopyReader(client, copying, cut);
    const unwatch = watchProgress({
      progress: () => (reader.isPaused() ? null : bytesArrived(line)),
      withinMs: statementTimeoutMs,
      onStall: () => session.fail(stalled(statementTimeoutMs)),
    });
    const whole = session.hold(() =>
      reader.run().catch((thrown: unknown) => {
        throw sourceError(thrown, sql, BEFORE_COPIED);
      }),
    );
    whole.catch((error: unknown) => reader.fail(sourceError(error)));
    try {
      for (;;) {
        const batch = await reader.take();
        if (batch === null) break;
        yield batch;
      }
      await whole;
    } finally {
      unwatch();
      // Its rows would come in answer to the next statement.
      if (!reader.isOver()) session.fail(leftEarly());
    }
  }

  await start();
  return {
    async set(values) {
      const setting = settingText(values);
      if (setting !== null) await session.ask(() => textRows(client, setting.text, setting.values));
    },
    async describe(sql) {
      const fields = await selects.columns(sql);
      return session.ask(() => columnsOf(client, fields));
    },
    aggregatesByPoint: selects.aggregatesByPoint,
    async explain(sql) {
      const [row] = await rowsOf(sql, 'EXPLAIN (FORMAT JSON) ');
      const [{ Plan }] = JSON.parse(row?.[0] ?? '') as [{ Plan: PlanNode }];
      return Plan;
    },
    rows: (sql) => rowsOf(sql),
    copy,
    end: session.end,
  };
}

async function tryExtra(client: pg.Client, extra: string): Promise<void> {
  try {
    await client.query(`SAVEPOINT extra; ${extra}; RELEASE SAVEPOINT extra`);
  } catch {
    await client.query('ROLLBACK TO SAVEPOINT extra');
  }
}

type Values = Parameters<Reading['set']>[0];

/** Null: there is nothing to set. */
function settingText(values: Values): { text: string; values: string[] } | null {
  const pairs = pairsOf(values);
  if (pairs.length === 0) return null;
  const calls = pairs.map((_, at) => `set_config($${at * 2 + 1}, $${at * 2 + 2}, true)`);
  return { text: `SELECT ${calls.join(', ')}`, values: pairs.flat() };
}

/** Names and values, checked: Postgres would end a text at a NUL, and half a surrogate pair would become another character. */
function pairsOf(values: Values): (readonly [string, string])[] {
  const pairs = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    const setting = settingOf(name).toLowerCase();
    if (pairs.has(setting)) throw badValue(name, 'is there twice, in capital and small letters');
    if (value.includes('\0')) throw badValue(name, 'has a NUL character');
    if (!value.isWellFormed()) throw badValue(name, 'has half a character');
    pairs.set(setting, value);
  }
  return [...pairs];
}

function badValue(name: string, why: string): SourceError {
  return new SourceError(`The value of "${name}" ${why}.`, {
    code: OWN.badValue,
    retryable: false,
  });
}

function stalled(ms: number): SourceError {
  return new SourceUnavailable(`The source gave no row for ${ms / 1_000} s.`, {
    code: OWN.noProgress,
  });
}

function leftEarly(): SourceError {
  return new SourceError('The reading is over: its COPY was not read to the end.', {
    code: OWN.closed,
    retryable: false,
  });
}

/**
 * The settings of a reading's session, whatever the role or the database has as its default. All of it is part of the
 * transaction, so that nothing is left behind on a connection that a pooler hands to somebody else; once the transaction
 * is over the reading is, too.
 *
 * The formats are those that `psql` has by default. With `jit` a query that is planned as a big one is compiled to machine
 * code first: 90 ms a chunk.
 */
const FIXED: Readonly<Record<string, string>> = {
  jit: 'off',
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  lock_timeout: '30s',
};

/** For a client that was cut off while it held a snapshot, and with it every dead row of the database. */
const IDLE_MS = 10 * 60_000;

/** The SELECT takes the snapshot; from then on the transaction cannot become one that writes. */
function beginText(statementTimeoutMs: number): string {
  const settings = {
    ...FIXED,
    statement_timeout: `${Math.ceil(statementTimeoutMs)}ms`,
    idle_in_transaction_session_timeout: `${IDLE_MS}ms`,
  };
  return [
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`),
    'SELECT 1',
  ].join('; ');
}

/** A COPY that is read slowly takes as long as its reader: what is watched instead is whether rows come. */
const WITHOUT_TIMEOUT = 'SET LOCAL statement_timeout = 0';

/**
 * Types whose equal values are written alike. A type that is not named here counts as one that writes equal values in several ways,
 * which costs a report a sort by text and never a row. RowDescription names the base type of a domain.
 */
const EXACT_TYPES =
  'bool int2 int4 int8 oid date time timestamp timestamptz uuid bytea text varchar name'
    .split(' ')
    .map((type) => `'pg_catalog.${type}'::pg_catalog.regtype`)
    .join(', ');

// Postgres before 12 has no column collisdeterministic, and no such collation.
// For each column, $1 its type, $2 the modifier of that, $3 the table it is read from or 0, $4 its number there; arrays.
const COLUMNS = `
SELECT pg_catalog.format_type(c.type, c.modifier), coalesce(a.attnotnull, false),
       (c.type IN (${EXACT_TYPES}) OR c.type = 'pg_catalog.numeric'::pg_catalog.regtype AND c.modifier > 0)
       AND NOT (t.typcollation <> 0
                AND EXISTS (SELECT FROM pg_catalog.pg_collation k WHERE pg_catalog.to_jsonb(k) ->> 'collisdeterministic' = 'false')),
       coalesce(r.relkind IN ('r', 'p', 'm', 'f'), false)
  FROM unnest($1::oid[], $2::int4[], $3::oid[], $4::int2[]) WITH ORDINALITY AS c (type, modifier, "table", number, at)
  JOIN pg_catalog.pg_type t ON t.oid = c.type
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c."table" AND a.attnum = c.number AND c.number > 0
  LEFT JOIN pg_catalog.pg_class r ON r.oid = c."table"
 ORDER BY c.at`;

async function columnsOf(
  client: pg.Client,
  fields: readonly pg.FieldDef[],
): Promise<SourceColumn[]> {
  const arrayOf = (value: (field: pg.FieldDef) => number): string =>
    `{${fields.map(value).join(',')}}`;
  const rows = await textRows(client, COLUMNS, [
    arrayOf(({ dataTypeID }) => dataTypeID),
    arrayOf(({ dataTypeModifier }) => dataTypeModifier),
    arrayOf(({ tableID }) => tableID),
    arrayOf(({ columnID }) => columnID),
  ]);
  return fields.map(({ name, dataTypeID }, index) => ({
    name,
    oid: dataTypeID,
    type: rows[index]?.[0] ?? '',
    notNull: rows[index]?.[1] === 't',
    equalIsSame: rows[index]?.[2] === 't',
    isOfTable: rows[index]?.[3] === 't',
  }));
}
