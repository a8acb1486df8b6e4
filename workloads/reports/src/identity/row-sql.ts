import { arrayLiteral } from '../parameters/bind.ts';
import type { RowDecision, RowFilter, RowSql } from './types.ts';

/** Types whose columns are compared as they are, so that an index on them is used, with what their values look like. */
const COMPARED: readonly (readonly [
  type: RegExp,
  as: string,
  isValue: (text: string) => boolean,
])[] = [
  [/^(smallint|int2)$/, 'int2', (text) => isWithin(text, 15)],
  [/^(integer|int|int4)$/, 'int4', (text) => isWithin(text, 31)],
  [/^(bigint|int8)$/, 'int8', (text) => isWithin(text, 63)],
  [/^(text|character varying(\(\d+\))?|varchar(\(\d+\))?)$/, 'text', () => true],
  [
    /^uuid$/,
    'uuid',
    (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
  ],
];

function isWithin(text: string, bits: number): boolean {
  if (!/^-?\d{1,19}$/.test(text)) return false;
  const most = 2n ** BigInt(bits);
  const value = BigInt(text);
  return value >= -most && value < most;
}

/** The names of what is bound begin with an underscore, which no parameter of a report does. */
const BOUND = '_rows_';
/** What each condition reads begins like this. */
export const RULE_SETTING = `rp.${BOUND}`;

/**
 * A decision about rows as a condition on what the report's SQL gives. `typeOf`: the Postgres type of one of its columns, as
 * `Reading.describe` names it; null where it has no such column, for which this throws `MissingColumn`.
 *
 * A value that a column's type does not have, such as the county "all" of a column of numbers, is left out: no row has it,
 * and the cast would fail. Where none is left, the condition is FALSE.
 */
export function rowSql(
  decision: Exclude<RowDecision, { see: 'nothing' }>,
  typeOf: (column: string) => string | null,
): RowSql {
  if (decision.see === 'everything') return { where: null, bind: {}, inside: [] };
  const bind: Record<string, string> = {};
  const inside = decision.where.map((filter, index) => {
    const { column } = filter;
    const type = typeOf(column);
    const { condition, values } = conditionOf(filter, type, `${BOUND}${index}`);
    if (values.length > 0) bind[`${BOUND}${index}`] = arrayLiteral(values);
    // Branches of a UNION may have types that only the whole makes one.
    const cast = (expression: string) => condition(`((${expression})::${type})`);
    return { column, outside: condition(quoted(column)), condition: cast };
  });
  const conditions = inside.map(({ outside }) => outside);
  // Never without a condition: what sees "some" must not see all because nothing was said.
  return { where: conditions.length === 0 ? 'FALSE' : conditions.join(' AND '), bind, inside };
}

/** The SQL of the report does not give the column that a row rule is about. */
export class MissingColumn extends Error {
  override readonly name = 'MissingColumn';
  readonly column: string;
  constructor(column: string) {
    super(
      `A row rule is about the column "${column}", which the SQL of the report does not give. Add it to the SELECT; hidden: true under columns keeps it out of the file.`,
    );
    this.column = column;
  }
}

function conditionOf(
  { column, values }: RowFilter,
  type: string | null,
  name: string,
): { readonly condition: (left: string) => string; readonly values: readonly string[] } {
  if (type === null) throw new MissingColumn(column);
  const compared = COMPARED.find(([pattern]) => pattern.test(type));
  const fitting = compared === undefined ? values : values.filter(compared[2]);
  if (fitting.length === 0) return { condition: () => 'FALSE', values: [] };
  const text = compared === undefined ? '::text' : '';
  const as = compared?.[1] ?? 'text';
  const right = `ANY (current_setting('rp.${name}')::${as}[])`;
  return { condition: (left) => `${left}${text} = ${right}`, values: fitting };
}

/** As Postgres reads an identifier: it comes from a file, and nobody who runs the report has a say in it. */
function quoted(column: string): string {
  return `"${column.replaceAll('"', '""')}"`;
}
