/** Milliseconds, up to the minute that a conversion may take. */
const DURATION_BUCKETS = [
  1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 30_000, 60_000,
];

/**
 * A metric as data: the instruments are made from tables of these, and docs/metrics.md, the dashboards and the alert
 * rules are held against them. Attributes are few and bounded: never an id of a job, a document or a request, never a
 * tenant.
 */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly description: string;
  readonly attributes: readonly string[];
  readonly buckets?: readonly number[];
}

export type MetricTable = Readonly<Record<string, Metric>>;

export function counter<const Names extends readonly string[]>(
  description: string,
  attributes: Names,
) {
  return { type: 'counter', description, attributes } as const;
}

export function gauge<const Names extends readonly string[]>(
  description: string,
  attributes: Names,
) {
  return { type: 'gauge', description, attributes } as const;
}

export function histogram<const Names extends readonly string[]>(
  description: string,
  attributes: Names,
  buckets: readonly number[] = DURATION_BUCKETS,
) {
  return { type: 'histogram', description, attributes, buckets } as const;
}

export type NamesOf<Table extends MetricTable, Type extends Metric['type']> = {
  [Name in keyof Table & string]: Type extends Table[Name]['type'] ? Name : never;
}[keyof Table & string];

/** Exactly the attributes of the table: the compiler refuses one too many and one too few. */
export type AttributesOf<Table extends MetricTable, Name extends keyof Table> = Readonly<
  Record<Table[Name]['attributes'][number], string>
>;

/** The last argument of a recorder, which is not there for a metric without attributes. Of any table, it may be. */
export type Given<
  Table extends MetricTable,
  Name extends keyof Table,
> = number extends Table[Name]['attributes']['length']
  ? [attributes?: AttributesOf<Table, Name>]
  : Table[Name]['attributes'] extends readonly []
    ? []
    : [attributes: AttributesOf<Table, Name>];

/** Counters and histograms. None of these throws: what is measured must not suffer from it. */
export interface Recorder<Table extends MetricTable> {
  count<Name extends NamesOf<Table, 'counter'>>(
    name: Name,
    value: number,
    ...attributes: Given<Table, Name>
  ): void;
  record<Name extends NamesOf<Table, 'histogram'>>(
    name: Name,
    value: number,
    ...attributes: Given<Table, Name>
  ): void;
}

export type SetGauge<Table extends MetricTable> = <Name extends NamesOf<Table, 'gauge'>>(
  name: Name,
  value: number,
  ...attributes: Given<Table, Name>
) => void;
