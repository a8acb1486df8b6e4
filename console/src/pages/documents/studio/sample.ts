import type { Lint } from '../types.ts';

type Field = Lint['fields'][number];

/** Data that a template can be looked at with before anybody has written any: each field says its own name. */
export function sampleFor(fields: readonly Field[], today: string): Record<string, unknown> {
  const sample: Record<string, unknown> = {};
  // A picture cannot be made up; a template that may be without it tests for it.
  const pictures = new Set(fields.filter(({ kind }) => kind === 'image').map(({ path }) => path));
  // What is printed says more about a value than what is tested. Longer paths last: `Buyer.Name` makes of a `Buyer`
  // that is only tested an object.
  const rank = ({ path, kind }: Field): number => path.length * 2 + (kind === 'condition' ? 1 : 0);
  for (const field of fields.toSorted((a, b) => rank(a) - rank(b)))
    if (!pictures.has(field.path)) place(sample, field, today);
  return sample;
}

function place(sample: Record<string, unknown>, field: Field, today: string): void {
  let at: Record<string, unknown> = sample;
  const keys = field.path.replace(/__formatted$/, '').split('.');
  for (const [index, raw] of keys.entries()) {
    const isLast = index === keys.length - 1;
    const isList = raw.endsWith('[]');
    const key = isList ? raw.slice(0, -2) : raw;
    if (key === '') return;
    const held = at[key];
    if (isList) {
      const list = Array.isArray(held) ? held : [];
      at[key] = list;
      if (isLast) {
        if (list.length === 0) list.push(valueOf({ ...field, path: key }, today));
        return;
      }
      const first: unknown = list[0];
      if (typeof first !== 'object' || first === null) list[0] = {};
      at = list[0] as Record<string, unknown>;
    } else if (isLast) {
      if (held === undefined) at[key] = field.kind === 'list' ? [] : valueOf(field, today);
      return;
    } else {
      if (typeof held !== 'object' || held === null) at[key] = {};
      at = at[key] as Record<string, unknown>;
    }
  }
}

/** By the helper that shows it, where the snippet has one; else by its name. */
function valueOf({ path, kind, snippet = '' }: Field, today: string): unknown {
  const name = path.split('.').at(-1) ?? path;
  const helper = helperOf(snippet, name);
  if (helper === 'date' || helper === 'time' || helper === 'datetime') return today;
  if (helper === 'percent') return 0.12;
  if (helper !== null && NUMBER_HELPERS.has(helper)) return 12;
  const compared = new RegExp(`${escaped(name)}\\s+["']([^"']+)["']`).exec(snippet)?.[1];
  if (helper === 'eq' && compared !== undefined) return compared;
  if (NUMBER_NAMES.test(name)) return 12;
  if (kind === 'condition') return true;
  if (/currency(code)?$/i.test(name)) return 'EUR';
  if (/date$|^date|until$|due/i.test(name)) return today;
  return name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
}

const NUMBER_HELPERS = new Set(
  'number currency round add subtract multiply divide sum plural gt lt gte lte'.split(' '),
);
const NUMBER_NAMES = /days|months|hours|quantity|amount|price|total|salary|overdue$/i;

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function helperOf(snippet: string, name: string): string | null {
  for (const [, tag = ''] of snippet.matchAll(/\{\{([^}]*)\}?\}?/g)) {
    const words = tag.trim().split(/[\s()]+/);
    const at = words.findIndex((word) => word === name || word.endsWith(`.${name}`));
    if (at > 0) return words[at - 1]?.replace('#', '').toLowerCase() ?? null;
  }
  return null;
}

/** Fields that a document needs and the data does not have. What is in a list counts where the list has something. */
export function missingIn(fields: readonly Field[], data: unknown): Field[] {
  const seen = new Set<string>();
  return fields.filter((field) => {
    const { path, required, conditional, kind } = field;
    if (!required || conditional || kind === 'list' || seen.has(path)) return false;
    seen.add(path);
    return !has(data, path.replace(/__formatted$/, '').split('.'));
  });
}

function has(from: unknown, keys: readonly string[]): boolean {
  const [raw, ...rest] = keys;
  if (raw === undefined) return from !== undefined;
  if (typeof from !== 'object' || from === null) return false;
  const key = raw.replace(/\[\]$/, '');
  const value = key === '' ? from : (from as Record<string, unknown>)[key];
  if (!raw.endsWith('[]')) return value !== undefined && has(value, rest);
  return Array.isArray(value) && value.every((each) => has(each, rest));
}

/** The names that the data has beside a missing one, the likest first. */
export function namesBeside(data: unknown, path: string): string[] {
  let at: unknown = data;
  for (const key of path.split('.').slice(0, -1)) {
    const held = (at as Record<string, unknown> | null)?.[key.replace(/\[\]$/, '')];
    at = Array.isArray(held) ? held[0] : held;
    if (typeof at !== 'object' || at === null) return [];
  }
  return typeof at === 'object' && at !== null ? Object.keys(at) : [];
}
