import { SourceError, bindNames } from '@millrace/sql-source';
import {
  type Complain,
  type Parameter,
  type ParameterWords,
  parametersOf as declared,
  small,
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
    checkSuggest(parameter, complain);
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

/** It is asked before any parameter has a value. */
function checkSuggest({ name, suggest }: Parameter, complain: Complain): void {
  if (suggest === null) return;
  try {
    bindNames(suggest, {}, () => false);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    complain(['parameters', name, 'suggest'], small(error.message));
  }
}
