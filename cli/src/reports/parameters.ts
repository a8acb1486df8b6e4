import { nearest } from '@millrace/api';
import type { Parameter, Report } from '@millrace/reports/contract';
import type { Free } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';

export type Given = Readonly<Record<string, string | string[] | null>>;

/** The parameters of a report, of what stood on the line: `--county 19`, `--status open,paid`, `--from=2026-01-01`. */
export function parametersOf(
  { name, parameters }: Pick<Report, 'name' | 'parameters'>,
  free: Free,
  options: readonly string[],
): Given {
  const given: Record<string, string | string[] | null> = {};
  for (const [written, values] of Object.entries(free)) {
    const parameter = parameters.find((each) => isCalled(each, written));
    if (parameter === undefined) throw unknown(written, name, parameters, options);
    if (Object.hasOwn(given, parameter.name))
      throw new UsageError(`--${parameter.name} was given in two ways.`);
    given[parameter.name] = valueOf(parameter, values);
  }
  const missing = parameters.filter((each) => each.required && !Object.hasOwn(given, each.name));
  if (missing.length > 0)
    throw new UsageError(
      `The report "${name}" needs ${missing.map(({ example }) => example).join(' and ')}.`,
    );
  return given;
}

/** `--business-date` is easier to type than `--business_date`. */
function isCalled({ name }: Parameter, written: string): boolean {
  return name === written || name === written.replaceAll('-', '_');
}

function valueOf(parameter: Parameter, values: readonly string[]): string | string[] | null {
  const { name, type, list, canBeEmpty } = parameter;
  const [first = '', ...more] = values;
  if (list) {
    // Texts may have commas themselves.
    const all = type === 'text' ? values : values.flatMap((each) => each.split(','));
    const kept = all.map((each) => each.trim()).filter((each) => each !== '');
    if (kept.length > 0) return [...kept];
  } else {
    if (more.length > 0)
      throw new UsageError(`--${name} takes one value, and came ${values.length} times.`);
    if (first !== '') return first;
    if (type === 'boolean') return 'true';
  }
  if (canBeEmpty) return null;
  throw new UsageError(`--${name} needs a value: ${parameter.example}`);
}

function unknown(
  written: string,
  report: string,
  parameters: readonly Parameter[],
  options: readonly string[],
): UsageError {
  const names = parameters.map(({ name }) => name);
  const meant = nearest(written, [...names, ...options]);
  if (meant !== null)
    return new UsageError(`There is no option --${written}: did you mean --${meant}?`);
  const known =
    names.length === 0
      ? 'takes no parameters'
      : `takes ${names.map((each) => `--${each}`).join(', ')}`;
  return new UsageError(`There is no option --${written}: the report "${report}" ${known}.`);
}
