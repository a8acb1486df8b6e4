/** What reports tell apart of Postgres' types. Everything else is `other`, and written as the text that Postgres makes of it. */
export type Family =
  | 'whole'
  | 'decimal'
  | 'double'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'text'
  | 'other';

export interface SqlType {
  readonly family: Family;
  /** Of `numeric(12,2)`, else null. */
  readonly digits: { readonly precision: number; readonly scale: number } | null;
  /** Its values are whatever people have typed, a formula too. Not so of numbers, times, and what else has a form of its own. */
  readonly isFreeText: boolean;
  /** To cast a key to, so that it is compared by the operators of its column and an index is used. */
  readonly cast: string;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  smallint: 'whole',
  integer: 'whole',
  bigint: 'whole',
  oid: 'whole',
  numeric: 'decimal',
  real: 'double',
  'double precision': 'double',
  boolean: 'boolean',
  date: 'date',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
  text: 'text',
  'character varying': 'text',
  bpchar: 'text',
  name: 'text',
  citext: 'text',
};

/**
 * Types of Postgres whose texts have a form that no formula has: `-1 days`, `-$5.00`, `{"a": 1}`. Arrays begin with a bracket. An enum,
 * xml and whatever an extension brings may hold any text.
 */
const OWN_FORMS = new Set(
  `interval, money, time without time zone, time with time zone, uuid, bytea, json, jsonb, inet, cidr, macaddr, macaddr8, "bit", \
bit varying, pg_lsn, point, line, lseg, box, path, polygon, circle, tsvector, tsquery, int4range, int8range, numrange, tsrange, \
tstzrange, daterange`.split(', '),
);

/** `numeric(12,2)`, `character varying(20)[]`, `timestamp(3) with time zone`. */
const SIZE = /\((\d+)(?:,(-?\d+))?\)/;

/** Of a type as `Reading.describe` names it, which is how Postgres' format_type does. */
export function sqlType(described: string): SqlType {
  // These two without a size are of size 1.
  const known = described
    .replace(/^character(?=\(|\[|$)/, 'bpchar')
    .replace(/^bit(?=\(|\[|$)/, '"bit"');
  const cast = known.replace(SIZE, '').replace(/^interval .*?(?=\[|$)/, 'interval');
  const [, precision, scale = '0'] = SIZE.exec(known) ?? [];
  const family = FAMILIES[cast] ?? 'other';
  const isSized = family === 'decimal' && precision !== undefined;
  return {
    family,
    digits: isSized ? { precision: Number(precision), scale: Number(scale) } : null,
    isFreeText: family === 'text' || (family === 'other' && !hasOwnForm(cast)),
    cast,
  };
}

function hasOwnForm(type: string): boolean {
  return OWN_FORMS.has(type) || type.endsWith('[]');
}
