import type pg from 'pg';
import type { SourceColumn } from '../types.ts';
import { textRows } from './statements.ts';

// Of each column $1 its type, $2 the modifier of that, $3 the table it is read from or 0, $4 its number there; arrays.
const COLUMNS = `
SELECT pg_catalog.format_type(c.type, c.modifier), coalesce(a.attnotnull, false)
  FROM unnest($1::oid[], $2::int4[], $3::oid[], $4::int2[]) WITH ORDINALITY AS c (type, modifier, "table", number, at)
  LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c."table" AND a.attnum = c.number AND c.number > 0
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
  }));
}
