import type pg from 'pg';
import { badSql } from '../errors.ts';
import { attributesIn, type Call, callsIn, checkSelect, shapeOf } from '../text/select.ts';
import { type Token, tokensOf } from '../text/tokens.ts';
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
 * - The functions that it calls as `f(x)` are looked up by their names. Where a name behind a point may be one, as in `(x).f`, the database
 *   says which functions its parse tree has. Those behind views, operators and other functions were put there by
 *   whoever owns the database (docs/decisions/0027-sql-source.md).
 */
interface SelectCheck {
  /** Asks the database once for texts that differ in numbers only: each chunk of a report may have a LIMIT of its own. */
  check(sql: string): Promise<void>;
  /** Checks too, and gives the columns. */
  columns(sql: string): Promise<pg.FieldDef[]>;
}

export function createSelectCheck(params: {
  readonly session: Session;
  readonly client: pg.Client;
  readonly allowed: ReadonlySet<string>;
}): SelectCheck {
  const { session, client, allowed } = params;
  const passed = new Set<string>();

  async function refuseVolatile(tokens: readonly Token[]): Promise<void> {
    const suspects = callsIn(tokens).filter(({ name }) => !allowed.has(name));
    const volatile = await session.ask(() => volatileOf(client, suspects));
    const refused = suspects.find(
      (call) => RUN_TEXTS.includes(call.name) || volatile.has(keyOf(call)),
    );
    if (refused !== undefined) throw refusal(refused);
  }

  /** `(x).f` is a call, or a column: only the database knows. */
  async function refuseAttributes(sql: string, tokens: readonly Token[]): Promise<void> {
    const names = attributesIn(tokens).filter(({ name }) => !allowed.has(name));
    const volatile = await session.ask(() => volatileOf(client, names));
    const suspects = names.filter(
      (call) => RUN_TEXTS.includes(call.name) || volatile.has(keyOf(call)),
    );
    const [first] = suspects;
    if (first === undefined) return;
    const called = await session.ask(() => volatileInTree(client, sql, RUN_TEXTS), {
      sql,
      before: '',
    });
    // Without a tree, whatever may be a call counts as one.
    if (called === null) throw refusal(first);
    const refused = called.find((name) => !allowed.has(name));
    if (refused === undefined) return;
    throw refusal(suspects.find(({ name }) => name === refused) ?? { ...first, name: refused });
  }

  async function columns(sql: string): Promise<pg.FieldDef[]> {
    const tokens = tokensOf(sql);
    checkSelect(tokens);
    await refuseVolatile(tokens);
    await session.ask(() => parse(client, sql), { sql, before: '' });
    await refuseAttributes(sql, tokens);
    const inBrackets = `${BEFORE}${sql}\n) AS report`;
    const fields = await session.ask(() => parse(client, inBrackets), { sql, before: BEFORE });
    passed.add(shapeOf(sql, tokens));
    return fields;
  }

  return {
    columns,
    async check(sql) {
      if (!passed.has(shapeOf(sql, tokensOf(sql)))) await columns(sql);
    },
  };
}

// $1 schemas and $2 names of functions as arrays; an empty schema is the search path.
const VOLATILE_NAMES = `
SELECT DISTINCT called.schema, called.name
  FROM unnest($1::text[], $2::text[]) AS called (schema, name)
  JOIN pg_catalog.pg_proc f ON f.proname = called.name AND f.provolatile = 'v'
  JOIN pg_catalog.pg_namespace n ON n.oid = f.pronamespace
 WHERE CASE called.schema WHEN '' THEN pg_catalog.pg_function_is_visible(f.oid) ELSE n.nspname = called.schema END`;

async function volatileOf(client: pg.Client, calls: readonly Call[]): Promise<Set<string>> {
  if (calls.length === 0) return new Set();
  const rows = await textRows(client, VOLATILE_NAMES, [
    arrayText(calls.map(({ schema }) => schema ?? '')),
    arrayText(calls.map(({ name }) => name)),
  ]);
  return new Set(rows.map(([schema, name]) => `${schema}.${name}`));
}

function keyOf({ schema, name }: Call): string {
  return `${schema ?? ''}.${name}`;
}

function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}

function refusal({ name, from }: Call): Error {
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

// As a message to the client, which is also a line in the log of the server: asked for only where the text leaves a doubt.
const SHOW =
  'SET LOCAL debug_pretty_print = off; SET LOCAL client_min_messages = log; SET LOCAL debug_print_parse = on';
const HIDE = 'SET LOCAL debug_print_parse = off; SET LOCAL client_min_messages TO DEFAULT';

/** Functions, aggregates and window functions in a tree as Postgres prints it, which has line breaks for spaces. */
const FUNCTION_IDS = /:(?:funcid|aggfnoid|winfnoid)\s+(\d+)/g;

// $1 ids of functions, $2 names that count as VOLATILE, both arrays.
const VOLATILE_IDS = `
SELECT DISTINCT f.proname FROM pg_catalog.pg_proc f
 WHERE f.oid = ANY ($1::oid[]) AND (f.provolatile = 'v' OR f.proname = ANY ($2::text[]))`;

/**
 * The VOLATILE functions that one statement calls, in whatever notation, by the tree that Postgres has made of it: those of views
 * are not in it yet. Null: the database did not show the tree. It is parsed, and nothing runs; no object is made, so that it
 * works on a standby too.
 */
async function volatileInTree(
  client: pg.Client,
  sql: string,
  names: readonly string[],
): Promise<readonly string[] | null> {
  const trees: string[] = [];
  const onNotice = ({ detail }: { readonly detail?: string | undefined }): void => {
    if (detail?.includes('{QUERY') === true) trees.push(detail);
  };
  await client.query(SHOW);
  client.on('notice', onNotice);
  try {
    await parse(client, sql);
  } finally {
    client.off('notice', onNotice);
  }
  await client.query(HIDE);
  if (trees.length === 0) return null;
  const ids = new Set(
    trees.flatMap((tree) => Array.from(tree.matchAll(FUNCTION_IDS), ([, id]) => id)),
  );
  const rows = await textRows(client, VOLATILE_IDS, [
    `{${[...ids].join(',')}}`,
    `{${names.join(',')}}`,
  ]);
  return rows.flatMap(([name]) => name ?? []);
}
