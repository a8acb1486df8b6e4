import type { FileProblem, Parameter } from '@millrace/reports/contract';
import type { Paint } from '../render/colour.ts';
import { clean } from '../render/width.ts';

/** In brackets what may be left out. */
export function asOption({ name, required }: Parameter): string {
  return required ? `--${name}` : `[--${name}]`;
}

export function parameterInWords(parameter: Parameter): string {
  const { type, help, required, choices, list, min, max, defaultNow } = parameter;
  const from = parameter.default;
  const isWord = from !== null && JSON.stringify(from) !== JSON.stringify(defaultNow);
  const usual = defaultNow === null ? null : [defaultNow].flat().join(', ');
  const parts = [
    list ? `${type}, several` : type,
    choices.length === 0 ? null : choices.map(({ value }) => value).join(' | '),
    min === null ? null : `from ${min}`,
    max === null ? null : `up to ${max}`,
    required ? 'needed' : null,
    usual === null
      ? null
      : `${usual}${isWord ? ` (${[from].flat().join(', ')})` : ''} unless given`,
  ];
  const facts = parts.filter((part) => part !== null).join('; ');
  return help === null ? facts : `${help} ${facts}`;
}

/** `payments.yaml:12:3  There is no such field.`: as editors and CI know it. */
export function problemLine(problem: FileProblem, paint: Paint): string {
  const { file, line, column, message } = problem;
  return `${paint('red', `${clean(file)}:${line}:${column}`)}  ${clean(message)}`;
}

/** `month=2026-01 status=open,paid`, of a run. */
export function parametersInWords(
  parameters: Readonly<Record<string, string | readonly string[] | null>>,
): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${[value].flat().join(',')}`]))
    .join(' ');
}
