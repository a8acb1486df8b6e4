import type { Row } from '../data/database.ts';
import { ApiError } from '../errors.ts';
import type { Field, SObject } from '../schema/sobject.ts';
import type { Query, SelectItem } from './ast.ts';
import { queryError } from './malformed.ts';
import { type Scope, parentOf, resolvePath } from './paths.ts';
import { type Json, type JsonObject, attributesOf, renderValue } from './render.ts';
import type { Predicate } from './where.ts';

export type Render = (row: Row) => JsonObject;

/** Answers a query of children in a select list: those of one parent. */
export type Children = (child: SObject, query: Query, isMine: Predicate) => readonly Json[];

/** A record's fields and, below them, those of its parents. */
interface Shape {
  readonly object: SObject;
  readonly fields: Map<string, Field>;
  readonly parents: Map<string, { readonly lookup: Field; readonly shape: Shape }>;
}

export function compileSelect(
  scope: Scope,
  object: SObject,
  query: Query,
  children: Children,
): Render {
  const shape = emptyShape(object);
  const nested: ((row: Row) => [string, Json])[] = [];
  for (const item of query.select) {
    if (item.kind === 'children') nested.push(childrenOf(scope, object, item.query, children));
    else addItem(scope, query, shape, item);
  }
  return (row) => {
    const json = renderShape(scope, shape, row);
    return nested.length === 0
      ? json
      : { ...json, ...Object.fromEntries(nested.map((one) => one(row))) };
  };
}

function emptyShape(object: SObject): Shape {
  return { object, fields: new Map(), parents: new Map() };
}

function addItem(scope: Scope, query: Query, shape: Shape, item: SelectItem): void {
  if (item.kind === 'all') {
    if (item.scope !== 'STANDARD' && (query.limit === null || query.limit > 200)) {
      throw queryError(
        'MALFORMED_QUERY',
        scope.source,
        item.at,
        'The SOQL FIELDS function must have a LIMIT of at most 200',
      );
    }
    for (const field of shape.object.fields.values()) {
      if (item.scope === 'ALL' || field.custom === (item.scope === 'CUSTOM')) {
        shape.fields.set(field.name, field);
      }
    }
  } else if (item.kind === 'field') {
    const { lookups, field } = resolvePath(scope, shape.object, query, item.name);
    let place = shape;
    for (const lookup of lookups) place = parentShape(scope, place, lookup);
    if (place.fields.has(field.name)) {
      throw new ApiError('INVALID_FIELD', `duplicate field selected: ${item.name.text}`);
    }
    place.fields.set(field.name, field);
  }
}

function parentShape(scope: Scope, shape: Shape, lookup: Field): Shape {
  const name = lookup.relationshipName ?? lookup.name;
  const known = shape.parents.get(name);
  if (known !== undefined) return known.shape;
  const made = emptyShape(scope.schema.require(lookup.referenceTo[0] ?? ''));
  shape.parents.set(name, { lookup, shape: made });
  return made;
}

function renderShape(scope: Scope, { object, fields, parents }: Shape, row: Row): JsonObject {
  const json: Record<string, Json> = { attributes: attributesOf(scope.version, object, row.Id) };
  for (const field of fields.values()) {
    json[field.name] = renderValue(scope.version, field, row, row[field.name] ?? null);
  }
  for (const [name, { lookup, shape }] of parents) {
    const parent = parentOf(scope.view, row, lookup);
    json[name] = parent === undefined ? null : renderShape(scope, shape, parent);
  }
  return json;
}

function childrenOf(
  scope: Scope,
  object: SObject,
  query: Query,
  children: Children,
): (row: Row) => [string, Json] {
  const wanted = query.from.text.toLowerCase();
  const found = scope.schema.children(object).find(({ name }) => name?.toLowerCase() === wanted);
  if (found === undefined) {
    throw queryError(
      'INVALID_TYPE',
      scope.source,
      query.from.at,
      `Didn't understand relationship '${query.from.text}' in FROM part of query call. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`,
    );
  }
  return (row) => {
    const records = children(found.child, query, (each) => each[found.field.name] === row.Id);
    const body = records.length === 0 ? null : { totalSize: records.length, done: true, records };
    return [found.name ?? query.from.text, body];
  };
}
