import { type Place, TemplateError } from '../errors.ts';
import { fieldOfPath, keyInTag } from '../paths.ts';
import type { Expression } from '../compile/tags/expression.ts';
import type { Evaluation } from './args.ts';
import { textOf } from './scope.ts';

/** The text of a value. In strict mode a value that has none is an error: the document would lack it without a word. */
export function printed(
  value: unknown,
  of: Expression | undefined,
  { strict }: Evaluation,
  place: Place | undefined,
): string {
  if (strict && (typeof value === 'number' ? !Number.isFinite(value) : typeof value === 'object')) {
    const path = of?.kind === 'path' ? of.text : undefined;
    const why = unprintable(value, path);
    if (why !== undefined)
      throw new TemplateError('bad_value', why, {
        ...place,
        field: path === undefined ? undefined : fieldOfPath(path),
      });
  }
  return textOf(value);
}

/** Why a value has no text of its own, and what to write; undefined when it has one, or is empty. */
export function unprintable(value: unknown, path: string | undefined): string | undefined {
  const what = path === undefined ? 'The value' : `"${path}"`;
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : `${what} is ${value}, which is no number to print.`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? `${what} is no valid date.` : undefined;
  if (!Array.isArray(value)) {
    const [first = 'Name'] = Object.keys(value);
    const one = `${path ?? 'Customer'}.${keyInTag(first)}`;
    return `${what} has no text but fields of its own: write one, as in {{${one}}}.`;
  }
  const field = path ?? 'Lines';
  if (!value.some((item) => typeof item === 'object' && item !== null && !(item instanceof Date)))
    return undefined;
  return `${what} is a list whose items have no text: write {{#each ${field}}} … {{/each}} or {{join ${field} "Name"}}.`;
}
