import type { Cell, Lint } from '../types.ts';

/** A field that a spreadsheet can fill. */
export interface TemplateField {
  readonly path: string;
  readonly kind: 'value' | 'condition' | 'image';
  /** False where a document without it is as it should be. */
  readonly required: boolean;
}

/** How a field came to its column: people trust a name, and want to be asked about a guess. */
export type How = 'same' | 'last' | 'guess' | 'chosen';

export interface Match {
  readonly column: number;
  readonly how: How;
}

/** The source of a field: a column, one text for all rows, or deliberately nothing. */
export type Filling = Match | { readonly same: string } | { readonly empty: true };
export type Mapping = ReadonlyMap<string, Filling>;

export function isGuess(
  filling: Filling | undefined,
): filling is Match & { readonly how: 'guess' } {
  return filling !== undefined && 'how' in filling && filling.how === 'guess';
}

/** All guesses are decided at once, as if each had been: ten of them were ten clicks. */
export function agreed(mapping: Mapping): Map<string, Filling> {
  return new Map(
    [...mapping].map(([path, filling]) => [
      path,
      isGuess(filling) ? { ...filling, how: 'chosen' } : filling,
    ]),
  );
}

/** Lists and what is in them cannot stand in a cell; they are left out, and the service names them. */
export function fieldsOf({ fields }: Pick<Lint, 'fields'>): TemplateField[] {
  const single = fields.filter(({ path, kind }) => kind !== 'list' && !path.includes('[]'));
  const parents = new Set(single.flatMap(({ path }) => parentsOf(path)));
  const lenient = single.filter(({ required }) => !required).map(({ path }) => path);
  const seen = new Map<string, TemplateField>();
  for (const { path: asked, kind } of single) {
    const path = asked.replace(/__formatted$/, '');
    if (seen.has(path) || parents.has(path)) continue;
    const required = !lenient.some((each) => path === each || path.startsWith(`${each}.`));
    seen.set(path, { path, kind: kind === 'list' ? 'value' : kind, required });
  }
  return [...seen.values()];
}

function parentsOf(path: string): string[] {
  const keys = path.split('.');
  return keys.slice(1).map((_, index) => keys.slice(0, index + 1).join('.'));
}

/** Below this a likeness is an accident. */
const LEAST = 0.5;

/** The best pairs first; no column fills two fields by itself. `last` is what people chose the last time. */
export function autoMatch(
  fields: readonly TemplateField[],
  columns: readonly string[],
  last: Readonly<Record<string, string>> = {},
): Map<string, Filling> {
  const pairs = fields
    .flatMap(({ path }) =>
      columns.map((name, column) => {
        const how = name === path ? ('same' as const) : ('last' as const);
        if (last[path] === name) return { path, column, score: 3, how };
        if (name === path) return { path, column, score: 2, how };
        const score = likeness(name, path);
        return { path, column, score, how: score >= 1 ? ('same' as const) : ('guess' as const) };
      }),
    )
    .filter(({ score }) => score >= LEAST)
    .toSorted((a, b) => b.score - a.score);
  const mapping = new Map<string, Filling>();
  const taken = new Set<number>();
  for (const { path, column, how } of pairs) {
    if (mapping.has(path) || taken.has(column)) continue;
    mapping.set(path, { column, how });
    taken.add(column);
  }
  return mapping;
}

/** 1 for names that differ in spelling only (`start date`, `StartDate`), less for what they share. */
export function likeness(column: string, path: string): number {
  const name = plain(column);
  const whole = plain(path);
  if (name === '' || whole === '') return 0;
  if (name === whole) return 1;
  const lastPart = plain(path.split('.').at(-1) ?? '');
  if (name === lastPart) return 0.9;
  const near = Math.max(closeness(name, whole), closeness(name, lastPart) - 0.05);
  const words = shared(wordsOf(column), wordsOf(path));
  return Math.min(0.89, Math.max(near, words));
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function wordsOf(text: string): Set<string> {
  const apart = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .toLowerCase();
  return new Set(apart.match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((word) => b.has(word)).length;
  return both / Math.max(a.size, b.size, 1);
}

/** 1 less the share of letters that have to be changed. */
function closeness(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return 1 - (before[b.length] ?? 0) / Math.max(a.length, b.length);
}

/** The record that a template gets for a row. */
export function dataOf(mapping: Mapping, cells: readonly Cell[]): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [path, filling] of mapping) {
    if ('column' in filling) put(data, path.split('.'), cells[filling.column] ?? '');
    else if ('same' in filling) put(data, path.split('.'), filling.same);
  }
  return data;
}

function put(record: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = record;
  for (const key of path.slice(0, -1)) {
    const held = at[key];
    const next = typeof held === 'object' && held !== null ? held : {};
    at[key] = next;
    at = next as Record<string, unknown>;
  }
  at[path.at(-1) ?? ''] = value;
}

/**
 * What is sent to the service. A column that fills a field is read under the field's name. One that has the name of a field and
 * fills another, or none, is moved out of the way: no name may stand there twice.
 */
export function readingOf(
  mapping: Mapping,
  columns: readonly string[],
): { columns: Record<string, string>; same: Record<string, string> } {
  const names: Record<string, string> = {};
  const same: Record<string, string> = {};
  const used = new Set<number>();
  for (const [path, filling] of mapping) {
    if ('same' in filling) same[path] = filling.same;
    if (!('column' in filling)) continue;
    used.add(filling.column);
    const name = columns[filling.column];
    if (name !== undefined && name !== path) names[name] = path;
  }
  const fields = [...mapping.keys()];
  for (const [index, name] of columns.entries()) {
    if (used.has(index) || name === '') continue;
    const clashes = fields.some(
      (path) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`),
    );
    if (clashes) names[name] = `${name.replaceAll('.', ' ')} (not used)`;
  }
  return { columns: names, same };
}

/** `A`, `Z`, `AA`, as spreadsheets count. */
export function letterOf(index: number): string {
  const rest = Math.floor(index / 26);
  return `${rest === 0 ? '' : letterOf(rest - 1)}${String.fromCodePoint(65 + (index % 26))}`;
}
