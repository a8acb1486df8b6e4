import { dayAt } from './calendar.ts';
import { resolveOne } from './resolve.ts';
import type { Moment, Parameter, ParameterField, ParameterType } from './types.ts';

const EXAMPLES: Readonly<Record<ParameterType, string>> = {
  text: 'TEXT',
  'whole number': '19',
  decimal: '12.5',
  date: '2026-01-31',
  'date range': '2026-01-01..2026-01-31',
  month: '2026-01',
  boolean: 'true',
  choice: '',
};

/** The parameters of a report as whoever fills them in is asked for them. */
export function formOf(parameters: readonly Parameter[], moment: Moment): ParameterField[] {
  const today = dayAt(moment.now, moment.timeZone);
  return parameters.map((parameter) => {
    const { name, type, label, help, required, list, choices, min, max } = parameter;
    const now = resolveOne(parameter, parameter.default, today);
    return {
      name,
      type,
      label,
      help,
      required: required && parameter.default === null,
      canBeEmpty: !required,
      list,
      choices,
      suggests: parameter.suggest !== null,
      min,
      max,
      default: parameter.default,
      defaultNow: 'value' in now ? now.value : null,
      example: `--${name} ${exampleOf(parameter)}`,
    };
  });
}

function exampleOf({ type, list, choices }: Parameter): string {
  const values = choices.map(({ value }) => (/^[\w.-]+$/.test(value) ? value : `"${value}"`));
  if (type !== 'choice') return EXAMPLES[type];
  return values.slice(0, list ? 2 : 1).join(',');
}
