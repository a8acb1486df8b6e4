import {
  type Parameter,
  type ParameterType,
  type ResolvedParameters,
  edgesOf,
} from '@millrace/workload-kit';
import type { BoundValue } from './types.ts';

const POSTGRES_TYPE: Readonly<Record<ParameterType, string>> = {
  text: 'text',
  // An index on an integer column is used for a bigint too; for a numeric it would not be.
  'whole number': 'bigint',
  decimal: 'numeric',
  date: 'date',
  'date range': 'date',
  // Its first day.
  month: 'date',
  boolean: 'boolean',
  choice: 'text',
};

/** The names that SQL may use, with their Postgres types: what `bindNames` asks for. */
export function typesOf(parameters: readonly Parameter[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parameters.flatMap((parameter) =>
      namesOf(parameter).map((name) => [name, postgresType(parameter)]),
    ),
  );
}

/** A range has two names: `:period_from` and `:period_to`. */
export function namesOf({ name, type }: Pick<Parameter, 'name' | 'type'>): readonly string[] {
  return type === 'date range' ? [`${name}_from`, `${name}_to`] : [name];
}

export function boundValues(
  parameters: readonly Parameter[],
  values: ResolvedParameters,
): BoundValue[] {
  return parameters.flatMap((parameter) => {
    const type = postgresType(parameter);
    const texts = textsOf(parameter, values[parameter.name] ?? null);
    return namesOf(parameter).map((name, index) => ({ name, type, value: texts[index] ?? null }));
  });
}

function postgresType({ type, list }: Parameter): string {
  return list ? `${POSTGRES_TYPE[type]}[]` : POSTGRES_TYPE[type];
}

/** One for each name. */
function textsOf(
  { type }: Parameter,
  value: ResolvedParameters[string] | null,
): readonly (string | null)[] {
  if (value === null || value === undefined) return [null, null];
  if (typeof value !== 'string') return [arrayLiteral(value.map((each) => bound(type, each)))];
  return type === 'date range' ? edgesOf(value) : [bound(type, value)];
}

function bound(type: ParameterType, value: string): string {
  return type === 'month' ? `${value}-01` : value;
}

/** Each value in quotes, so that no comma, brace or NULL among them is taken for something else. */
export function arrayLiteral(values: readonly string[]): string {
  return `{${values.map((each) => `"${each.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
}
