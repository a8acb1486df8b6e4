import type { Mapping } from './match.ts';

/** What people chose for a template the last time, in this browser: field → name of its column. */
const KEY = 'millrace.mapping.';

export function lastChoices(template: string): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY + template) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, string>) : {};
  } catch {
    return {};
  }
}

export function keepChoices(template: string, mapping: Mapping, columns: readonly string[]): void {
  const kept = [...mapping].flatMap(([path, filling]) => {
    const name = 'column' in filling ? columns[filling.column] : undefined;
    return name === undefined ? [] : [[path, name] as const];
  });
  localStorage.setItem(KEY + template, JSON.stringify(Object.fromEntries(kept)));
}
