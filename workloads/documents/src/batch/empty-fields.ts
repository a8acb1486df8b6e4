import { type FieldUse, keysOf } from '@millrace/docx';
import { follow } from '../one/names.ts';

/**
 * An empty cell is there, and yet nobody wants to read "Dear ,": rows of totals and footnotes below a table have the
 * most of them. With `strict` it counts as missing; without, the document is made and the row has a warning.
 */
export function emptyFields(fields: readonly FieldUse[], row: unknown): string[] {
  const printed = fields.filter(
    (use) =>
      use.required && use.conditional !== true && use.kind !== 'list' && !use.path.includes('[]'),
  );
  const paths = new Set(printed.map(({ path }) => path.replace(/__formatted$/, '')));
  return [...paths].filter((path) => isBlank(follow(row, keysOf(path))));
}

export function emptyWarning(empty: readonly string[]): string {
  const shown = empty.slice(0, MOST_NAMED).join(', ');
  const more = empty.length > MOST_NAMED ? ` and ${empty.length - MOST_NAMED} more` : '';
  return `The row has nothing for ${shown}${more}.`;
}

const MOST_NAMED = 10;

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** The row without its empty cells, so that a field that is printed from one is missing. */
export function withoutBlanks(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => !isBlank(value))
      .map(([key, value]) => [
        key,
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? withoutBlanks(value as Record<string, unknown>)
          : value,
      ]),
  );
}
