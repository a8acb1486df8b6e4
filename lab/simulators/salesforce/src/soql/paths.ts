import type { Row, Value } from '../data/database.ts';
import type { View } from '../data/transaction.ts';
import { prefixOf } from '../ids.ts';
import type { Schema } from '../schema/schema.ts';
import type { Field, SObject } from '../schema/sobject.ts';
import type { Name, Query } from './ast.ts';
import { queryError } from './malformed.ts';

/** The data that a query is answered from. */
export interface Scope {
  readonly schema: Schema;
  readonly view: View;
  readonly source: string;
  readonly now: number;
  /** Deleted records too (`queryAll`). */
  readonly withDeleted: boolean;
  /** `v64.0`: part of the addresses in the answer. */
  readonly version: string;
}

export interface Path {
  /** Lookups from the object to the parent that has the field. */
  readonly lookups: readonly Field[];
  readonly field: Field;
  read(row: Row): Value;
}

/** More than five steps up are refused, as in Salesforce. */
const MOST_STEPS = 5;

/** `Name`, `Template__r.Name`, `CreatedBy.Manager.Name`: finds the field, or says which part is unknown. */
export function resolvePath(scope: Scope, object: SObject, query: Query, name: Name): Path {
  const parts = name.text.split('.');
  const first = parts[0]?.toLowerCase();
  const ownNames = [query.alias?.toLowerCase(), query.from.text.toLowerCase()];
  if (parts.length > 1 && ownNames.includes(first) && !hasRelationship(object, first))
    parts.shift();
  const lookups: Field[] = [];
  let current = object;
  for (const part of parts.slice(0, -1)) {
    const lookup = relationship(current, part);
    const parent =
      lookup === undefined ? undefined : scope.schema.find(lookup.referenceTo[0] ?? '');
    if (lookup === undefined || parent === undefined || lookups.length >= MOST_STEPS) {
      throw unknownRelationship(scope, name, part, current);
    }
    lookups.push(lookup);
    current = parent;
  }
  const last = parts.at(-1) ?? '';
  const field = current.fields.get(last.toLowerCase());
  if (field === undefined) throw unknownField(scope, name, last, current);
  return { lookups, field, read: (row) => readPath(scope.view, row, lookups, field) };
}

function readPath(view: View, row: Row, lookups: readonly Field[], field: Field): Value {
  let current: Row | undefined = row;
  for (const lookup of lookups) current = parentOf(view, current, lookup);
  return current?.[field.name] ?? null;
}

export function parentOf(view: View, row: Row | undefined, lookup: Field): Row | undefined {
  const id = row?.[lookup.name] ?? null;
  const parent = typeof id === 'string' ? view.get(id) : undefined;
  return parent?.['IsDeleted'] === true ? undefined : parent;
}

function hasRelationship(object: SObject, part: string | undefined): boolean {
  return part !== undefined && relationship(object, part) !== undefined;
}

export function relationship(object: SObject, name: string): Field | undefined {
  const wanted = name.toLowerCase();
  return [...object.fields.values()].find(
    (field) => field.relationshipName?.toLowerCase() === wanted,
  );
}

function unknownField(scope: Scope, name: Name, part: string, object: SObject): Error {
  return queryError(
    'INVALID_FIELD',
    scope.source,
    name.at,
    `No such column '${part}' on entity '${object.name}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.`,
  );
}

function unknownRelationship(scope: Scope, name: Name, part: string, object: SObject): Error {
  return queryError(
    'INVALID_FIELD',
    scope.source,
    name.at,
    `Didn't understand relationship '${part}' in field path. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names. (${object.name})`,
  );
}

export function objectOf(scope: Scope, row: Row): SObject | undefined {
  return scope.schema.byPrefix(prefixOf(row.Id));
}
