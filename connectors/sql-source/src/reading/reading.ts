import type pg from 'pg';
import { OWN, SourceError, SourceUnavailable, sourceError } from '../errors.ts';
import { settingOf } from '../text/bind-names.ts';
import type { BeginOptions, CopiedRows, Cut, PlanNode, Reading } from '../types.ts';
import { columnsOf } from './columns.ts';
import { BEFORE_COPIED, copyText, createCopyReader } from './copy.ts';
import { type Line, bytesArrived } from './line.ts';
import type { KnownTrees } from './parse-tree.ts';
import { createSelectCheck } from './select-only.ts';
import { createSession } from './session.ts';
import { WITHOUT_TIMEOUT, beginText } from './settings.ts';
import { textRows } from './statements.ts';
import { watchProgress } from './watch.ts';

export interface ReadingOptions extends BeginOptions {
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
