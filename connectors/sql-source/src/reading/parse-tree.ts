import type pg from 'pg';
import { parse, textRows } from './statements.ts';

/** A function that a statement calls, as the database has read it: by whatever notation, cast or name in quotes. */
export interface TreeCall {
  readonly oid: string;
  readonly isAggregate: boolean;
  /** Where the call begins in the SQL; null: the tree does not say. */
  readonly at: number | null;
}

/** By SQL. Reports are run again and again, and a tree is also a line in the log of the server. */
export type KnownTrees = Map<string, readonly TreeCall[]>;
const MOST_KNOWN = 500;

// As a message to the client, which is also a line in the log of the server.
const SHOW =
  'SET LOCAL debug_pretty_print = off; SET LOCAL client_min_messages = log; SET LOCAL debug_print_parse = on';
const HIDE = 'SET LOCAL debug_print_parse = off; SET LOCAL client_min_messages TO DEFAULT';

/**
 * The functions that one statement calls, by the tree that Postgres has made of it: those of views are not in it yet. Null: the database
 * did not show the tree. The statement is parsed, and nothing runs; no object is made, so that it works on a standby too.
 */
export async function callsInTree(
  client: pg.Client,
  sql: string,
  known: KnownTrees,
): Promise<readonly TreeCall[] | null> {
  const before = known.get(sql);
  if (before !== undefined) return before;
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
  const calls = trees.flatMap((tree) => callsOf(tree, Buffer.from(sql)));
  const [oldest] = known.size < MOST_KNOWN ? [] : known.keys();
  if (oldest !== undefined) known.delete(oldest);
  known.set(sql, calls);
  return calls;
}

/**
 * Nodes and the fields that are wanted of them. Names of people's own have a backslash before each character that could be taken for
 * something else; line breaks may stand for spaces.
 */
const PARTS =
  /\\[^]|\{|\}|:(?<field>funcid|aggfnoid|winfnoid|tsmhandler|location)\s+(?<value>-?\d+)/g;

interface Node {
  oid: string | null;
  field: string;
  location: number;
}

function callsOf(tree: string, sql: Buffer): TreeCall[] {
  const calls: TreeCall[] = [];
  const open: Node[] = [];
  for (const { 0: part, groups } of tree.matchAll(PARTS)) {
    const node = open.at(-1);
    const { field, value = '' } = groups ?? {};
    if (part === '{') open.push({ oid: null, field: '', location: -1 });
    else if (part === '}') {
      open.pop();
      if (node === undefined || node.oid === null) continue;
      const { oid, location } = node;
      const at = location < 0 ? null : sql.toString('utf8', 0, location).length;
      calls.push({ oid, isAggregate: node.field === 'aggfnoid', at });
    } else if (field === 'location' && node !== undefined) node.location = Number(value);
    else if (field !== undefined && node !== undefined) Object.assign(node, { oid: value, field });
  }
  return calls;
}

export interface TreeFunction {
  readonly name: string;
  readonly isVolatile: boolean;
}

// $1 ids of functions as an array.
const FUNCTIONS = `
SELECT f.oid, f.proname, f.provolatile = 'v' FROM pg_catalog.pg_proc f WHERE f.oid = ANY ($1::oid[])`;

/** What the database says of them now, by id. */
export async function functionsOf(
  client: pg.Client,
  calls: readonly TreeCall[],
): Promise<ReadonlyMap<string, TreeFunction>> {
  const ids = [...new Set(calls.map(({ oid }) => oid))];
  const rows = ids.length === 0 ? [] : await textRows(client, FUNCTIONS, [`{${ids.join(',')}}`]);
  return new Map(
    rows.map(([oid, name, isVolatile]) => [
      oid ?? '',
      { name: name ?? '', isVolatile: isVolatile === 't' },
    ]),
  );
}
