import type pg from 'pg';
import { badSql } from '../errors.ts';
import {
  type Call,
  attributesIn,
  callsIn,
  checkSelect,
  isCallAt,
  placeOf,
  shapeOf,
} from '../text/select.ts';
import { type Token, tokensOf } from '../text/tokens.ts';
import type { CalledAggregate } from '../source.ts';
import { type KnownTrees, type TreeCall, callsInTree, functionsOf } from './parse-tree.ts';
import type { Session } from './session.ts';
import { parse, textRows } from './statements.ts';

/** Run the SQL that they are given as a text, where no check sees it, and are not VOLATILE by their declaration. */
const RUN_TEXTS = ['crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'connectby', 'xpath_table'];

const BEFORE = 'SELECT * FROM (';

/**
 * Lets SQL through that is one SELECT and calls nothing that could do more than read. A read-only transaction alone does not
 * see to that: `set_config` would change the values of row rules in the middle of the query, `dblink` opens another
 * connection, `lo_export` writes a file of the server, `pg_terminate_backend` ends the sessions of others. Postgres
 * declares all of these VOLATILE. So are `random()` and `clock_timestamp()`, with which a resumed report would not be
 * the same.
 *
 * - The SQL is parsed alone, so that it is whole by itself, and in brackets, where nothing but a SELECT may stand: no
 *   INSERT in a WITH, no INTO.
 * - Which functions an author's SQL calls says the tree that the database has made of it: `f(x)`, `(x).f`, `x.f`, `x::f`. The text around it is ours
 *   and its names are looked up. Functions behind views, operators and other functions were put there by whoever owns the database
 *   (docs/decisions/0027-sql-source.md).
 */
interface SelectCheck {
  /** Asks the database once for texts that differ in numbers only: each chunk of a report may have a LIMIT of its own. */
  check(sql: string): Promise<void>;
  /** Checks SQL by an author, and gives the columns. From then on it may stand in what is checked. */
  columns(sql: string): Promise<pg.FieldDef[]>;
  /** Of SQL by an author. */
  aggregatesByPoint(sql: string): Promise<readonly CalledAggregate[]>;
}

export function createSelectCheck(params: {
  readonly session: Session;
  readonly client: pg.Client;
  readonly allowed: ReadonlySet<string>;
  readonly trees: KnownTrees;
}): SelectCheck {
  const { session, client, allowed, trees } = params;
  const passed = new Set<string>();
  const authors = new Set<string>();

  /** Those that are not to be called, if they are calls. */
  async function suspectsOf(calls: readonly Call[]): Promise<readonly Call[]> {
    const others = calls.filter(({ name }) => !allowed.has(name));
    const volatile = await session.ask(() => volatileOf(client, others));
    return others.filter((call) => RUN_TEXTS.includes(call.name) || volatile.has(keyOf(call)));
  }

  async function refuseNames(calls: readonly Call[]): Promise<void> {
    const [suspect] = await suspectsOf(calls);
    if (suspect !== undefined) throw refusal(suspect);
  }

  async function refuseCalls(calls: readonly TreeCall[], tokens: readonly Token[]): Promise<void> {
    const functions = await session.ask(() => functionsOf(client, calls));
    for (const { oid, at } of calls) {
      const { name = '', isVolatile = true } = functions.get(oid) ?? {};
      if (allowed.has(name) || !(isVolatile || RUN_TEXTS.includes(name))) continue;
      throw refusal({ name, from: placeOf(tokens, name, at ?? 0) });
    }
  }

  const treeOf = (sql: string) =>
    session.ask(() => callsInTree(client, sql, trees), { sql, before: '' });

  async function refuseVolatile(sql: string, tokens: readonly Token[]): Promise<void> {
    const calls = await treeOf(sql);
    // Without a tree, whatever may be a call counts as one.
    await (calls === null
      ? refuseNames([...callsIn(tokens), ...attributesIn(tokens)])
      : refuseCalls(calls, tokens));
  }

  async function fieldsOf(sql: string, tokens: readonly Token[]): Promise<pg.FieldDef[]> {
    const inBrackets = `${BEFORE}${sql}\n) AS report`;
    const fields = await session.ask(() => parse(client, inBrackets), { sql, before: BEFORE });
    passed.add(shapeOf(sql, tokens));
    return fields;
  }

  /** With a SELECT without calls in place of what was checked by itself. */
  function withoutAuthors(sql: string): string {
    const found = [...authors].filter((author) => sql.includes(author));
    const longestFirst = found.toSorted((a, b) => b.length - a.length);
    return longestFirst.reduce((text, author) => text.replaceAll(author, 'SELECT'), sql);
  }

  return {
    async columns(sql) {
      const tokens = tokensOf(sql);
      checkSelect(tokens);
      await refuseVolatile(sql, tokens);
      const fields = await fieldsOf(sql, tokens);
      authors.add(sql);
      return fields;
    },
    async check(sql) {
      const tokens = tokensOf(sql);
      if (passed.has(shapeOf(sql, tokens))) return;
      checkSelect(tokens);
      const around = tokensOf(withoutAuthors(sql));
      await refuseNames(callsIn(around));
      await session.ask(() => parse(client, sql), { sql, before: '' });
      const suspects = await suspectsOf(attributesIn(around));
      if (suspects.length > 0) await refuseVolatile(sql, tokens);
      await fieldsOf(sql, tokens);
    },
    async aggregatesByPoint(sql) {
      const tokens = tokensOf(sql);
      const calls = await treeOf(sql);
      if (calls === null) return aggregatesOf(client, session, attributesIn(tokens));
      const byPoint = calls.filter(
        ({ isAggregate, at }) => isAggregate && at !== null && !isCallAt(tokens, at),
      );
      const functions = await session.ask(() => functionsOf(client, byPoint));
      return byPoint.map(({ oid, at }) => ({
        name: functions.get(oid)?.name ?? '',
        position: at ?? 0,
      }));
    },
  };
}

// $1 schemas and $2 names of functions as arrays; an empty schema is the search path.
const VOLATILE = `
SELECT DISTINCT called.schema, called.name
  FROM unnest($1::text[], $2::text[]) AS called (schema, name)
  JOIN pg_catalog.pg_proc f ON f.proname = called.name AND f.provolatile = 'v'
  JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace
 WHERE CASE called.schema WHEN '' THEN pg_catalog.pg_function_is_visible(f.oid) ELSE n.nspname = called.schema END`;

async function volatileOf(client: pg.Client, calls: readonly Call[]): Promise<Set<string>> {
  if (calls.length === 0) return new Set();
  const rows = await textRows(client, VOLATILE, [
    arrayText(calls.map(({ schema }) => schema ?? '')),
    arrayText(calls.map(({ name }) => name)),
  ]);
  return new Set(rows.map(([schema, name]) => `${schema}.${name}`));
}

// $1 names as an array.
const AGGREGATES = `
SELECT DISTINCT f.proname FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = f.oid WHERE f.proname = ANY ($1::text[])`;

async function aggregatesOf(
  client: pg.Client,
  session: Session,
  names: readonly Call[],
): Promise<CalledAggregate[]> {
  if (names.length === 0) return [];
  const all = arrayText(names.map(({ name }) => name));
  const rows = await session.ask(() => textRows(client, AGGREGATES, [all]));
  const known = new Set(rows.map(([name]) => name));
  return names.flatMap(({ name, from }) => (known.has(name) ? [{ name, position: from }] : []));
}

function keyOf({ schema, name }: Call): string {
  return `${schema ?? ''}.${name}`;
}

function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

function refusal({ name, from }: Pick<Call, 'name' | 'from'>): Error {
  return RUN_TEXTS.includes(name)
    ? badSql(
        `The SQL calls ${name}(), which runs SQL from a text: a report has no way to check that. Write it as a join or with FILTER.`,
        from,
      )
    : badSql(
        `The SQL calls ${name}(), which is VOLATILE: it may change something, or give another result when the report is resumed. If it only reads, declare it STABLE.`,
        from,
      );
}
