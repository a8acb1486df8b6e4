import type { Screen } from '../terminal/screen.ts';
import type { Paint } from './colour.ts';
import { clean, cleanLines, wrap } from './width.ts';

export type Field = readonly [label: string, value: string | null];

/** Labels and values, one below the other; what is null is left out. */
export function fieldLines(fields: readonly Field[], { columns, paint }: Screen): string[] {
  const shown = fields.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
  const widest = Math.max(0, ...shown.map(({ label }) => label.length));
  return shown.flatMap(({ label, value }) =>
    paragraph(value, columns - widest - 4).map((line, index) => {
      const shownLabel = index === 0 ? label : '';
      return `  ${paint('dim', shownLabel.padEnd(widest))}  ${line}`;
    }),
  );
}

/** A text that may have several lines, some of them too long. */
export function paragraph(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrap(clean(line), columns));
}

/** A JSON value as a block below its label. */
export function jsonLines(label: string, value: unknown, paint: Paint): string[] {
  const text = cleanLines(JSON.stringify(value, null, 2) ?? 'null');
  return ['', `  ${paint('dim', label)}`, ...text.split('\n').map((line) => `    ${line}`)];
}
