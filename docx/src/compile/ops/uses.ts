import type { Place } from '../../errors.ts';
import { pathOf } from '../../paths.ts';
import type { Expression, PathExpression } from '../tags/expression.ts';

/** The fields that a template asks of its data. Lists are marked: `Order.Lines[].Name`; see paths.ts. */
export interface FieldUse extends Place {
  readonly path: string;
  readonly kind: 'value' | 'list' | 'condition' | 'image';
  /** False where a missing value is part of the question: in a condition, or with a default. */
  readonly required: boolean;
  /** Whether the field stands in a block, and so is not printed in every document. */
  readonly conditional?: true;
  /** Where else the field is looked for when the item of a loop lacks it, the nearest first. */
  readonly outer?: readonly string[];
}

/** The absolute paths of the scopes around a tag, the root first. */
export type Scopes = readonly string[];

export function absolutePath(path: PathExpression, scopes: Scopes): string | undefined {
  if (path.meta) return undefined;
  const scope = path.up === -1 ? 0 : scopes.length - 1 - path.up;
  const base = scopes[scope];
  if (base === undefined) return undefined;
  return within(base, path);
}

function within(base: string, { keys }: PathExpression): string {
  return [base, pathOf(keys)].filter((part) => part !== '').join('.');
}

/** Further out than the innermost item, for a path that says nothing else. */
function outerPaths(path: PathExpression, scopes: Scopes): Pick<FieldUse, 'outer'> {
  if (!path.outwards || scopes.length === 1) return {};
  return {
    outer: scopes
      .slice(0, -1)
      .map((base) => within(base, path))
      .toReversed(),
  };
}

/** Conditions and defaults may ask for what is not there. */
const LENIENT: readonly string[] = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'and',
  'or',
  'not',
  'default',
];

/** Options whose bare words are fields. Those of the others are words: code=EUR. */
const FROM_DATA: readonly string[] = ['width', 'height', 'size', 'alt', 'decimals'];

export function collectUses(
  value: Expression,
  scopes: Scopes,
  place: Place,
  kind: FieldUse['kind'],
  add: (use: FieldUse) => void,
  required = kind !== 'condition',
): void {
  if (value.kind === 'path') {
    const path = absolutePath(value, scopes);
    if (path !== undefined && path !== '')
      add({ path, kind, required, ...outerPaths(value, scopes), ...place });
    return;
  }
  if (value.kind !== 'call') return;
  const { name, args, named } = value;
  const inner = required && !LENIENT.includes(name);
  if (name === 'sum' || name === 'count' || name === 'join') {
    const list = args[0];
    if (list === undefined) return;
    collectUses(list, scopes, place, 'list', add, inner);
    const field = name === 'join' && args.length < 3 ? undefined : args[1];
    const base = list.kind === 'path' ? absolutePath(list, scopes) : undefined;
    if (base !== undefined && field?.kind === 'literal' && typeof field.value === 'string') {
      add({ path: `${base}[].${field.value}`, kind: 'value', required: inner, ...place });
    }
    return;
  }
  const own = name === 'image' ? 'image' : kind;
  for (const arg of args) collectUses(arg, scopes, place, own, add, inner);
  for (const [option, arg] of named) {
    if (FROM_DATA.includes(option)) collectUses(arg, scopes, place, kind, add, false);
  }
}
