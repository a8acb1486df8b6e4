import { strangersIn } from './resolve.ts';
import type { GivenValue, GivenParameters, Parameter, ParameterProblem } from './types.ts';

export type ReadGiven =
  | { readonly given: GivenParameters }
  | { readonly problems: readonly ParameterProblem[] };

/**
 * Parameters of a command line or a query string: texts, and several where one was repeated. Of a list, one text may name
 * several by commas, but for the type `text`, whose values may have commas themselves.
 */
export function givenFromTexts(
  parameters: readonly Parameter[],
  texts: Readonly<Record<string, string | readonly string[]>>,
): ReadGiven {
  return readEach(parameters, texts, (parameter, value) => {
    const all = [value].flat().map(String);
    if (!parameter.list) {
      const [first = '', ...more] = all;
      return more.length > 0 ? { wrong: 'It was given more than once.' } : { given: first };
    }
    if (parameter.type === 'text') return { given: all };
    const values = all.flatMap((each) => each.split(',')).map((each) => each.trim());
    return { given: values.filter((each) => each !== '') };
  });
}

/** Parameters of a JSON body, or of a file: numbers and true or false stand for their texts. */
export function givenFromJson(
  parameters: readonly Parameter[],
  values: Readonly<Record<string, unknown>>,
): ReadGiven {
  return readEach(parameters, values, (parameter, value) => {
    if (value === null) return { given: null };
    if (!Array.isArray(value)) {
      const one = textOf(value);
      if (typeof one !== 'string') return one;
      return { given: parameter.list ? [one] : one };
    }
    const texts: string[] = [];
    for (const each of value) {
      const text = textOf(each);
      if (typeof text !== 'string') return text;
      texts.push(text);
    }
    return parameter.list ? { given: texts } : { wrong: 'Give it one value, and no list.' };
  });
}

function textOf(value: unknown): string | { readonly wrong: string } {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return { wrong: 'Give it a text, a number, true or false.' };
  const text = String(value);
  // 1e21 has no digits to go by, and beyond 2^53 a number is not the one that was written.
  return /e|Infinity|NaN/.test(text) || Math.abs(value) > Number.MAX_SAFE_INTEGER
    ? { wrong: 'This number has more digits than JSON keeps. Give it as a text.' }
    : text;
}

function readEach<Value>(
  parameters: readonly Parameter[],
  values: Readonly<Record<string, Value>>,
  read: (
    parameter: Parameter,
    value: Value,
  ) => { readonly given: GivenValue } | { readonly wrong: string },
): ReadGiven {
  const problems: ParameterProblem[] = strangersIn(parameters, Object.keys(values));
  const given: Record<string, GivenValue> = {};
  for (const parameter of parameters) {
    const { name } = parameter;
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    const one = read(parameter, value);
    if ('wrong' in one) problems.push({ parameter: name, message: one.wrong });
    else given[name] = one.given;
  }
  return problems.length > 0 ? { problems } : { given };
}
