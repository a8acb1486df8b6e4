import { type Parameter, type ResolvedParameters, edgesOf } from '@millrace/workload-kit';
import type { Value } from './plan.ts';

/**
 * What names in a pipeline stand for, once its parameters are known: a number is a number, a month also has its first and last
 * day, a date range its two ends.
 */
export function valuesOf(
  parameters: readonly Parameter[],
  resolved: ResolvedParameters,
): Record<string, Value | readonly Value[]> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const value = resolved[parameter.name] ?? null;
      const own =
        typeof value === 'string' || value === null
          ? typed(parameter, value)
          : value.map((each) => typed(parameter, each));
      return [
        [parameter.name, own],
        ...membersOf(parameter).map((member) => [
          `${parameter.name}.${member}`,
          typeof value === 'string' ? memberOf(parameter, value, member) : null,
        ]),
      ] as const;
    }),
  );
}

/** What can stand behind a point: `month.first`. */
export function membersOf({ type, list }: Parameter): readonly string[] {
  if (list) return [];
  if (type === 'month') return ['first', 'last'];
  return type === 'date range' ? ['from', 'to'] : [];
}

function memberOf({ type }: Parameter, value: string, member: string): string {
  if (type === 'date range') return edgesOf(value)[member === 'from' ? 0 : 1];
  return member === 'first' ? `${value}-01` : lastDayOf(value);
}

/** `2026-02` ends with `2026-02-28`. */
function lastDayOf(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** A decimal with more digits than a number of JavaScript keeps stays a text. */
function typed({ type }: Parameter, value: string | null): Value {
  if (value === null) return null;
  if (type === 'boolean') return value === 'true';
  if (type !== 'whole number' && type !== 'decimal') return value;
  const number = Number(value);
  return String(number) === value ? number : value;
}
