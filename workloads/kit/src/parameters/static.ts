import { strangersIn } from './resolve.ts';
import type { GivenValue, GivenParameters, Parameter, ParameterProblem } from './types.ts';
import { isLiteral, readBound, readUnbound, readValue } from './values.ts';

/** A day to read words by where any day will do. */
const SOME_DAY = 20_000;

/**
 * What is wrong with values in a file, whichever day they are used on. Words such as `yesterday` are held against bounds only
 * when the day is known.
 */
export function problemsOfGiven(
  parameters: readonly Parameter[],
  given: GivenParameters,
): ParameterProblem[] {
  return [
    ...strangersIn(parameters, Object.keys(given)),
    ...parameters.flatMap((parameter) => {
      const { name } = parameter;
      const own = Object.hasOwn(given, name) ? given[name] : undefined;
      const message = wrongWith(parameter, own === undefined ? parameter.default : own);
      return message === null ? [] : [{ parameter: name, message }];
    }),
  ];
}

/** A sentence; null: nothing is. */
export function wrongWith(parameter: Parameter, given: GivenValue): string | null {
  if (given === null || given.length === 0) return parameter.required ? 'Give it a value.' : null;
  if (typeof given !== 'string' && !parameter.list) return 'Give it one value.';
  for (const text of [given].flat()) {
    const wrong = wrongWithText(parameter, text);
    if (wrong !== null) return wrong;
  }
  return null;
}

function wrongWithText(parameter: Parameter, text: string): string | null {
  const fixed =
    isLiteral(parameter, text) &&
    [parameter.min, parameter.max].every((bound) => bound === null || isFixed(parameter, bound));
  const read = fixed
    ? readValue(parameter, text, SOME_DAY)
    : readUnbound(parameter, text, SOME_DAY);
  return 'wrong' in read ? read.wrong : null;
}

function isFixed(parameter: Parameter, bound: string): boolean {
  const [some, other] = [SOME_DAY, SOME_DAY + 1_111].map((day) => readBound(parameter, bound, day));
  return JSON.stringify(some) === JSON.stringify(other);
}

/** What is wrong with a bound itself. */
export function wrongWithBound(parameter: Parameter, bound: string): string | null {
  const read = readBound(parameter, bound, SOME_DAY);
  return 'wrong' in read ? read.wrong : null;
}
