import type pg from 'pg';
import type { SourceColumn } from '../types.ts';
import { textRows } from './statements.ts';

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
// Of each column $1 its type, $2 the modifier of that, $3 the table it is read from or 0, $4 its number there; arrays.
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

export async function columnsOf(
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
