import { QueryError } from './run-sql.ts';

/** The syntax tree as the parser gives it: an expression is an object with one member, named after its kind. */
export type Json = null | boolean | number | string | readonly Json[] | Tree;
export interface Tree {
  readonly [name: string]: Json;
}

export function isTree(json: Json | undefined): json is Tree {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The kind of an expression and what is in it. Null: that is no expression. */
export function kindOf(json: Json | undefined): readonly [kind: string, inside: Json] | null {
  if (!isTree(json)) return null;
  const entries = Object.entries(json);
  const [entry] = entries;
  return entries.length === 1 && entry !== undefined ? entry : null;
}

/** The inside of an expression of this kind. Null: it is of another. */
export function inside(json: Json | undefined, kind: string): Tree | null {
  const found = kindOf(json);
  return found !== null && found[0] === kind && isTree(found[1]) ? found[1] : null;
}

export function treesIn(json: Json | undefined): readonly Tree[] {
  return Array.isArray(json) ? (json as readonly Json[]).filter(isTree) : [];
}

export function textIn(json: Json | undefined, name: string): string | null {
  const found = isTree(json) ? json[name] : undefined;
  return typeof found === 'string' ? found : null;
}

/** An identifier's text. */
export function nameIn(json: Json | undefined): string | null {
  return textIn(json, 'name');
}

export const text = (value: string): Tree => ({ literal: { literal_type: 'string', value } });
export const number = (value: number): Tree => ({
  literal: { literal_type: 'number', value: String(value) },
});

/** The members that the generator asks for, whatever their value. */
const FUNCTION = {
  distinct: false,
  trailing_comments: [],
  use_bracket_syntax: false,
  no_parens: false,
  quoted: false,
};

/** The same for a query in place of a table. */
export const SUBQUERY = {
  column_aliases: [],
  alias_explicit_as: true,
  alias_keyword: 'AS',
  order_by: null,
  limit: null,
  offset: null,
  lateral: false,
  modifiers_inside: false,
  trailing_comments: [],
};

export function call(name: string, ...args: readonly Json[]): Tree {
  return { function: { name, args, ...FUNCTION } };
}

export function binary(kind: string, left: Json, right: Json): Tree {
  return {
    [kind]: { left, right, left_comments: [], operator_comments: [], trailing_comments: [] },
  };
}

export const quoted = (name: string): Tree => ({ name, quoted: true, trailing_comments: [] });

/** Marketing Cloud may well know it: only that it is not done here, and that nothing else is done in its place. */
export function untranslated(what: string): QueryError {
  return new QueryError(`${what} is not something that this simulator can run.`);
}

/** The text of a literal. Null: it is no text, or no literal. */
export function literalText(json: Json | undefined): string | null {
  const literal = inside(json, 'literal');
  const isText = ['string', 'national_string'].includes(
    textIn(literal ?? null, 'literal_type') ?? '',
  );
  return isText ? textIn(literal ?? null, 'value') : null;
}

export function literalNumber(json: Json | undefined): number | null {
  const literal = inside(json, 'literal');
  if (textIn(literal ?? null, 'literal_type') !== 'number') return null;
  return Number(textIn(literal ?? null, 'value'));
}
