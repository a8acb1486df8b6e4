import {
  type Complain,
  type Parameter,
  type ParameterWords,
  parametersOf as declared,
} from '@millrace/workload-kit';
import { namesOf } from '../parameters/bind.ts';

/** What a file name says for something else: `{report}`. */
export const RESERVED = ['report', 'created', 'job'] as const;

/** The parameters of a report: their names are also those of its SQL and of its files. */
export function parametersOf(
  words: Readonly<Record<string, ParameterWords>>,
  complain: Complain,
): Parameter[] {
  const parameters = declared(words, complain);
  for (const parameter of parameters) {
    const at = ['parameters', parameter.name];
    if (RESERVED.some((each) => each === parameter.name))
      complain(at, `names of files use {${parameter.name}} for something else. Rename it.`, {
        atKey: true,
      });
    const twin = parameters.find(
      (other) =>
        other.type === 'date range' &&
        other !== parameter &&
        namesOf(other).some((name) => namesOf(parameter).includes(name)),
    );
    if (twin !== undefined)
      complain(
        at,
        `the SQL has :${namesOf(twin).join(' and :')} of the date range ${twin.name}. Rename one of the two.`,
        { atKey: true },
      );
  }
  return parameters;
}
