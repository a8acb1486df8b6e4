import type { Row, Value } from '../data/database.ts';
import { ApiError } from '../errors.ts';
import type { SObject } from '../schema/sobject.ts';
import { isFilterable } from '../schema/sobject.ts';
import {
  type Condition,
  type Literal,
  type Name,
  type Operand,
  type Query,
  isAggregate,
} from './ast.ts';
import { comparable, literalValue, testOf } from './compare.ts';
import { malformed, queryError } from './malformed.ts';
import { type Path, type Scope, resolvePath } from './paths.ts';

export type Predicate = (row: Row) => boolean;

/** Answers a semi-join: the values that a query of one field gives. */
export type SubQuery = (query: Query) => ReadonlySet<Value>;

export function compileWhere(
  scope: Scope,
  object: SObject,
  query: Query,
  runSubQuery: SubQuery,
): Predicate {
  function compile(condition: Condition): Predicate {
    switch (condition.kind) {
      case 'and':
      case 'or': {
        const parts = condition.parts.map(compile);
        return condition.kind === 'and'
          ? (row) => parts.every((part) => part(row))
          : (row) => parts.some((part) => part(row));
      }
      case 'not': {
        const part = compile(condition.part);
        return (row) => !part(row);
      }
      case 'compare': {
        const path = filterPath(scope, object, query, condition.left);
        const test = testOf(scope, path.field, condition.operator, condition.right);
        return (row) => test(path.read(row));
      }
      case 'in':
        return compileIn(condition.left, condition.not, condition.values);
    }
  }

  function compileIn(left: Name, not: boolean, values: readonly Literal[] | Query): Predicate {
    const path = filterPath(scope, object, query, left);
    const { field } = path;
    const wanted = isQuery(values)
      ? runSubQuery(values)
      : new Set(values.map((each) => literalValue(scope, field, each)));
    const keys = new Set([...wanted].map((value) => comparable(field, value)));
    return (row) => keys.has(comparable(field, path.read(row))) !== not;
  }

  return query.where === null ? () => true : compile(query.where);
}

function isQuery(values: readonly Literal[] | Query): values is Query {
  return 'select' in values;
}

function filterPath(scope: Scope, object: SObject, query: Query, left: Operand): Path {
  if (isAggregate(left)) {
    throw malformed(
      scope.source,
      left.name.at,
      'Grouped aggregates belong in HAVING, not in WHERE',
    );
  }
  const path = resolvePath(scope, object, query, left);
  if (isFilterable(path.field)) return path;
  throw queryError(
    'INVALID_FIELD',
    scope.source,
    left.at,
    `field '${path.field.name}' can not be filtered in a query call`,
  );
}

/**
 * The ids that a query is about, when it says so by `Id =` or `Id IN` and nothing can widen that. Null: every
 * record has to be looked at.
 */
export function idsAskedFor(condition: Condition | null): string[] | null {
  if (condition === null) return null;
  if (condition.kind === 'and') {
    for (const part of condition.parts) {
      const ids = idsAskedFor(part);
      if (ids !== null) return ids;
    }
    return null;
  }
  const literals = idLiterals(condition);
  return literals?.flatMap((each) => (each.kind === 'text' ? [each.value] : [])) ?? null;
}

function idLiterals(condition: Condition): readonly Literal[] | null {
  if (condition.kind === 'compare' && condition.operator === '=') {
    return isId(condition.left) ? [condition.right] : null;
  }
  if (condition.kind === 'in' && !condition.not && !isQuery(condition.values)) {
    return isId(condition.left) ? condition.values : null;
  }
  return null;
}

function isId(left: Operand): boolean {
  return !isAggregate(left) && left.text.toLowerCase() === 'id';
}

/** Links can only be asked for by document or by record: no query reads them all. */
export function checkLinkFilter(object: SObject, condition: Condition | null): void {
  if (object.name !== 'ContentDocumentLink' || (condition !== null && namesLink(condition))) return;
  throw new ApiError(
    'MALFORMED_QUERY',
    "Implementation restriction: ContentDocumentLink requires a filter by a single Id on ContentDocumentId or LinkedEntityId using the equals operator or multiple Id's using the IN operator.",
  );
}

function namesLink(condition: Condition): boolean {
  if (condition.kind === 'and') return condition.parts.some(namesLink);
  if (condition.kind !== 'compare' && condition.kind !== 'in') return false;
  const isExact = condition.kind === 'in' ? !condition.not : condition.operator === '=';
  if (!isExact || isAggregate(condition.left)) return false;
  return ['contentdocumentid', 'linkedentityid', 'id'].includes(condition.left.text.toLowerCase());
}
