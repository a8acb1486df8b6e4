import { type Complain, small } from '../definitions/complain.ts';
import { problemsOfGiven, wrongWith, wrongWithBound } from './static.ts';
import type { GivenValue, GivenParameters, Parameter } from './types.ts';
import type { ParameterWords } from './words-of-file.ts';

const BOUNDED: readonly string[] = [
  'text',
  'whole number',
  'decimal',
  'date',
  'date range',
  'month',
];
const SUGGESTED: readonly string[] = ['text', 'whole number', 'decimal', 'date'];
const LISTED: readonly string[] = ['text', 'whole number', 'decimal', 'date', 'month', 'choice'];

/** The parameters that a file declares under `parameters`, each held against its own type. */
export function parametersOf(
  words: Readonly<Record<string, ParameterWords>>,
  complain: Complain,
): Parameter[] {
  const parameters = Object.entries(words).map(([name, each]) => parameterOf(name, each));
  for (const parameter of parameters) {
    const own = words[parameter.name];
    if (own !== undefined) checkParameter(parameter, own, complain);
    checkOrder(parameter, parameters, complain);
  }
  return parameters;
}

function parameterOf(name: string, words: ParameterWords): Parameter {
  const { type, list = false } = words;
  const fallback = words.default ?? null;
  return {
    name,
    type,
    label: words.label ?? labelOf(name),
    help: words.help ?? null,
    required: words.required ?? true,
    default: list && typeof fallback === 'string' ? [fallback] : fallback,
    min: words.min ?? null,
    max: words.max ?? null,
    notBefore: words.notBefore ?? null,
    choices: words.choices ?? [],
    list,
    suggest: words.suggest ?? null,
  };
}

/** `business_date` is asked for as "Business date". */
function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function checkParameter(parameter: Parameter, words: ParameterWords, complain: Complain): void {
  const { name, type } = parameter;
  const at = (field: string) => ['parameters', name, field];
  if ((type === 'choice') !== (words.choices !== undefined))
    complain(
      at(type === 'choice' ? 'type' : 'choices'),
      type === 'choice'
        ? 'a choice needs choices, such as choices: [open, closed].'
        : `only a choice has choices. Remove them, or write type: choice.`,
    );
  if (words.suggest !== undefined && !SUGGESTED.includes(type))
    complain(at('suggest'), `values of a ${type} cannot be suggested. Remove it.`);
  const values = parameter.choices.map(({ value }) => value);
  if (new Set(values).size < values.length || values.includes(''))
    complain(at('choices'), 'each choice needs a value of its own.');
  if (parameter.list && !LISTED.includes(type)) complain(at('list'), `a ${type} cannot be a list.`);
  for (const which of ['min', 'max'] as const) {
    const bound = parameter[which];
    if (bound === null) continue;
    const wrong = BOUNDED.includes(type)
      ? wrongWithBound(parameter, bound)
      : `A ${type} has no bounds. Remove it.`;
    if (wrong !== null) complain(at(which), small(wrong));
  }
  if (parameter.default === null || parameter.default.length === 0) return;
  const wrong = wrongWith(parameter, parameter.default);
  if (wrong !== null) complain(at('default'), small(wrong));
}

const ORDERED: readonly string[] = ['whole number', 'decimal', 'date', 'month'];

function checkOrder(
  { name, type, list, notBefore }: Parameter,
  parameters: readonly Parameter[],
  complain: Complain,
): void {
  if (notBefore === null) return;
  const at = ['parameters', name, 'notBefore'];
  const first = parameters.find((each) => each.name === notBefore);
  if (first === undefined || first.name === name)
    complain(at, `name another parameter of this file; there is no other "${notBefore}".`);
  else if (first.type !== type || first.list || list || !ORDERED.includes(type))
    complain(at, `both have to be one date, one month or one number, of the same type.`);
}

/** Values that a schedule or rule gives: the problems of each at its place. */
export function givenOf(
  parameters: readonly Parameter[],
  words: Readonly<Record<string, GivenValue>>,
  path: readonly (string | number)[],
  complain: Complain,
): GivenParameters {
  for (const { parameter, message } of problemsOfGiven(parameters, words)) {
    const isThere = Object.hasOwn(words, parameter);
    complain([...path, parameter], small(message), isThere ? {} : { atKey: true });
  }
  return words;
}
