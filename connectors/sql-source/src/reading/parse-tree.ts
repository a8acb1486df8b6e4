import type pg from 'pg';
import { parse, textRows } from './statements.ts';

// As a message to the client, which is also a line in the log of the server: asked for only where the text leaves a doubt.
const SHOW =
  'SET LOCAL debug_pretty_print = off; SET LOCAL client_min_messages = log; SET LOCAL debug_print_parse = on';
const HIDE = 'SET LOCAL debug_print_parse = off; SET LOCAL client_min_messages TO DEFAULT';

/** Functions, aggregates and window functions in a tree as Postgres prints it, which has line breaks for spaces. */
const FUNCTION_IDS = /:(?:funcid|aggfnoid|winfnoid)\s+(\d+)/g;

// $1 ids of functions, $2 names that count as VOLATILE, both arrays.
const VOLATILE = `
SELECT DISTINCT f.proname FROM pg_catalog.pg_proc f
 WHERE f.oid = ANY ($1::oid[]) AND (f.provolatile = 'v' OR f.proname = ANY ($2::text[]))`;

/**
 * The VOLATILE functions that one statement calls, in whatever notation, by the tree that Postgres has made of it: those of views
 * are not in it yet. Null: the database did not show the tree. It is parsed, and nothing runs; no object is made, so that it
 * works on a standby too.
 */
export async function volatileInTree(
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
  const rows = await textRows(client, VOLATILE, [
    `{${[...ids].join(',')}}`,
    `{${names.join(',')}}`,
  ]);
  return rows.flatMap(([name]) => name ?? []);
}
