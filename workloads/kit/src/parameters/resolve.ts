import { nearest } from '../contract/nearest.ts';
import { type Day, dayAt } from './calendar.ts';
import type {
  GivenValue,
  GivenParameters,
  Moment,
  Parameter,
  ParameterProblem,
  ResolvedParameters,
} from './types.ts';
import { compareValues, readValue } from './values.ts';

export type Resolved =
  | { readonly values: ResolvedParameters }
  | { readonly problems: readonly ParameterProblem[] };

export const MOST_VALUES = 1_000;

/** What was given, with defaults for the rest and days for words, each value in its one way to be written. */
export function resolveParameters(
  parameters: readonly Parameter[],
  given: GivenParameters,
  moment: Moment,
): Resolved {
  const today = dayAt(moment.now, moment.timeZone);
  const problems = strangersIn(parameters, Object.keys(given));
  const values: Record<string, string | readonly string[] | null> = {};
  for (const parameter of parameters) {
    const { name } = parameter;
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    const read = resolveOne(parameter, own === undefined ? parameter.default : own, today);
    if ('wrong' in read) problems.push({ parameter: name, message: read.wrong });
    else values[name] = read.value;
  }
  if (problems.length === 0) problems.push(...outOfOrder(parameters, values));
  return problems.length > 0 ? { problems } : { values };
}

function outOfOrder(
  parameters: readonly Parameter[],
  values: ResolvedParameters,
): ParameterProblem[] {
  return parameters.flatMap(({ name, type, notBefore }) => {
    const [first, last] = [notBefore === null ? null : values[notBefore], values[name]];
    if (typeof first !== 'string' || typeof last !== 'string') return [];
    if (compareValues(type, first, last) <= 0) return [];
    return [
      { parameter: name, message: `It is ${last}, before "${notBefore}", which is ${first}.` },
    ];
  });
}

export function resolveOne(
  parameter: Parameter,
  given: GivenValue,
  today: Day,
): { readonly value: string | readonly string[] | null } | { readonly wrong: string } {
  // An empty field of a form, of a text too, is none.
  if (given === null || given.length === 0)
    return parameter.required ? { wrong: 'Give it a value.' } : { value: null };
  const texts = typeof given === 'string' ? [given] : given;
  if (!parameter.list && typeof given !== 'string') return { wrong: 'Give it one value.' };
  if (texts.length > MOST_VALUES) return { wrong: `Give it ${MOST_VALUES} values at most.` };
  const values: string[] = [];
  for (const text of texts) {
    const read = readValue(parameter, text, today);
    if ('wrong' in read) return read;
    values.push(read.value);
  }
  if (!parameter.list) return { value: values[0] ?? null };
  return { value: [...new Set(values)].toSorted() };
}

/** So many are named: each is compared with all that are declared. */
const MOST_STRANGERS = 100;

/** Names that nobody has declared, with those that were probably meant. */
export function strangersIn(
  parameters: readonly Parameter[],
  names: readonly string[],
): ParameterProblem[] {
  const known = parameters.map(({ name }) => name);
  const declared = new Set(known);
  return names
    .filter((name) => !declared.has(name))
    .slice(0, MOST_STRANGERS)
    .map((name) => {
      const meant = nearest(name, known);
      const there = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
      const help = meant === null ? there : `Did you mean "${meant}"?`;
      return { parameter: name, message: `There is no such parameter. ${help}` };
    });
}

/** The same parameters give the same text, however and in whichever order they were given. */
export function canonicalParameters(values: ResolvedParameters): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}
