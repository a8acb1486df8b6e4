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
    cast,
  };
}
