import type { PathExpression } from '../compile/tags/expression.ts';
import { isZero } from '../helpers/read-text.ts';

/** Where a tag looks: the data, and inside loops the item of each. */
export interface Scope {
  push(value: unknown, index: number, count: number): void;
  pop(): void;
  /** Undefined when nothing of that name is there; null when it is there and empty. */
  look(path: PathExpression): unknown;
  /** How many steps outwards the first item has one of the paths' first names. */
  levelOf(paths: readonly PathExpression[]): number;
  depth(): number;
  /** The data and the items of the loops around this point. */
  surrounding(): Surrounding;
  /** Looks from such a point meanwhile. */
  within(surrounding: Surrounding, act: () => void): void;
}

export type Surrounding = readonly Frame[];

interface Frame {
  readonly value: unknown;
  readonly index: number;
  readonly count: number;
}

export function createScope(root: unknown): Scope {
  let frames: Frame[] = [{ value: root, index: 0, count: 1 }];
  return {
    push: (value, index, count) => frames.push({ value, index, count }),
    pop: () => frames.pop(),
    depth: () => frames.length,
    surrounding: () => [...frames],
    within: (surrounding, act) => {
      const outside = frames;
      frames = [...surrounding];
      act();
      frames = outside;
    },
    levelOf: (paths) => {
      const names = paths.flatMap(({ keys: [first] }) => first ?? []);
      const at = frames.findLastIndex(({ value }) => names.some((name) => has(value, name)));
      return at === -1 ? 0 : frames.length - 1 - at;
    },
    look: ({ up, keys, meta, outwards }) => {
      const frame = frames[up === -1 ? 0 : frames.length - 1 - up];
      if (frame === undefined) return undefined;
      if (meta !== undefined) {
        if (meta === 'first') return frame.index === 0;
        if (meta === 'last') return frame.index === frame.count - 1;
        return meta === 'number' ? frame.index + 1 : frame.index;
      }
      if (keys.length === 0) return frame.value;
      const found = follow(frame.value, keys);
      return found === undefined && outwards ? furtherOut(frames, keys) : found;
    },
  };
}

/** The first name decides where: a customer without a city has none, whatever another customer has. */
function furtherOut(frames: readonly Frame[], keys: readonly string[]): unknown {
  const [first = ''] = keys;
  const frame = frames.findLast(({ value }) => has(value, first));
  return frame && follow(frame.value, keys);
}

/** Null is there, and is empty. */
function has(value: unknown, key: string): boolean {
  return follow(value, [key]) !== undefined;
}

/** Own properties only: neither `constructor` nor `__proto__` leads anywhere. */
export function follow(from: unknown, keys: readonly string[]): unknown {
  let at = from;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** The items of a list; undefined for what is none. Salesforce wraps child records in an object. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null || value === '' || value === false) return [];
  if (typeof value !== 'object' || value instanceof Date) return undefined;
  const records = follow(value, ['records']);
  return Array.isArray(records) ? records : [value];
}

/** In a spreadsheet a zero may be text: `0,00` is as false as the number in the cell of another file. */
export function isTruthy(value: unknown, dataLocale: string | undefined): boolean {
  if (typeof value === 'object' && value !== null) {
    const records = Array.isArray(value) ? value : follow(value, ['records']);
    return Array.isArray(records) ? records.length > 0 : true;
  }
  if (typeof value === 'string' && dataLocale !== undefined && isZero(value, dataLocale))
    return false;
  return Boolean(value);
}

/** As a reader would write it. Objects have no text of their own. */
export function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? String(value) : '';
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
      return Array.isArray(value)
        ? value.map((item) => (Array.isArray(item) ? '' : textOf(item))).join(', ')
        : '';
    default:
      return '';
  }
}
