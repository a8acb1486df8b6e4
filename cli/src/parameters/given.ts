import { ApiError, nearest } from '@millrace/api';
import type { Parameter } from '@millrace/reports/contract';
import type { Free, FreeOptions } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';

export type Given = Readonly<Record<string, string | string[] | null>>;

/** A report or a pipeline, which is run with parameters. */
export interface Parametrised {
  readonly what: 'report' | 'pipeline';
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

/** The parameters of a report or pipeline, of what stood on the line: `--county 19`, `--status open,paid`, `--from=2026-01-01`. */
export function parametersOf(asked: Parametrised, free: Free, options: readonly string[]): Given {
  const { what, name, parameters } = asked;
  const given: Record<string, string | string[] | null> = {};
  for (const [written, values] of Object.entries(free)) {
    const parameter = parameters.find((each) => isCalled(each, written));
    if (parameter === undefined) throw unknown(written, asked, options);
    if (Object.hasOwn(given, parameter.name))
      throw new UsageError(`--${parameter.name} was given twice.`);
    given[parameter.name] = valueOf(parameter, values);
  }
  const missing = parameters.filter((each) => each.required && !Object.hasOwn(given, each.name));
  if (missing.length > 0)
    throw new UsageError(
      `The ${what} "${name}" needs ${missing.map(({ example }) => example).join(' and ')}.`,
    );
  return given;
}

/** `--business-date` is easier to type than `--business_date`. */
function isCalled({ name }: Parameter, written: string): boolean {
  return name === written || name === written.replaceAll('-', '_');
}

function valueOf(
  parameter: Parameter,
  written: readonly (string | null)[],
): string | string[] | null {
  const { name, type, list, canBeEmpty } = parameter;
  const values = written.filter((value) => value !== null);
  // `--county -o out.csv` has lost its value: without the parameter there would be rows that nobody asked for.
  if (values.length < written.length) {
    if (type === 'boolean' && !list && written.length === 1) return 'true';
    const none = canBeEmpty ? `, or --${name}= for none` : '';
    throw new UsageError(`--${name} needs a value: ${parameter.example}${none}`);
  }
  const [first = '', ...more] = values;
  if (list) {
    // Texts may have commas themselves.
    const all = type === 'text' ? values : values.flatMap((each) => each.split(','));
    const kept = all.map((each) => each.trim()).filter((each) => each !== '');
    if (kept.length > 0) return [...kept];
  } else {
    if (more.length > 0)
      throw new UsageError(`--${name} takes one value, and was given ${values.length} times.`);
    if (first !== '') return first;
  }
  if (canBeEmpty) return null;
  throw new UsageError(`--${name} needs a value: ${parameter.example}`);
}

function unknown(
  written: string,
  { what, name: asked, parameters }: Parametrised,
  options: readonly string[],
): UsageError {
  const names = parameters.map(({ name }) => name);
  const meant = nearest(written, [...names, ...options]);
  if (meant !== null)
    return new UsageError(`Unknown option --${written}: did you mean --${meant}?`);
  const known =
    names.length === 0
      ? 'takes no parameters'
      : `takes ${names.map((each) => `--${each}`).join(', ')}`;
  return new UsageError(`Unknown option --${written}: the ${what} "${asked}" ${known}.`);
}

/** For completion: each parameter, with what its value may be. */
export function completable(parameters: readonly Parameter[]): FreeOptions {
  return Object.fromEntries(
    parameters.map((each) => [
      each.name,
      each.type === 'boolean' ? ['true', 'false'] : each.choices.map(({ value }) => value),
    ]),
  );
}

/** A refusal with this code, as what is wrong by the options that were typed; anything else as it was thrown. */
export function byOption(thrown: unknown, refusal: string): unknown {
  const { code, issues = [] } = thrown instanceof ApiError ? thrown.problem : { code: '' };
  if (code !== refusal || issues.length === 0) return thrown;
  return new UsageError(
    issues
      .map(({ path, message }) => `--${path.replace(/^parameters\./, '')}: ${message}`)
      .join('\n'),
  );
}
