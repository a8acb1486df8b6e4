import type { Value } from '../data/database.ts';
import { ApiError } from '../errors.ts';
import { normalizeId } from '../ids.ts';
import { type Field, isText } from '../schema/sobject.ts';
import type { Literal, Operator } from './ast.ts';
import { queryError } from './malformed.ts';

type Test = (value: Value) => boolean;

interface Place {
  readonly source: string;
  readonly now: number;
}

/** A field's comparison with one literal. Refuses what Salesforce refuses, before any row is read. */
export function testOf(place: Place, field: Field, operator: Operator, right: Literal): Test {
  if (operator === 'LIKE') return likeTest(place, field, right);
  if (right.kind === 'null') return nullTest(place, field, operator, right);
  if (right.kind === 'range') {
    const range = rangeOf(right.name, right.count, place.now);
    if (range === null || !isMoment(field)) throw wrongKind(place, field, right);
    return rangeTest(field, operator, range);
  }
  const wanted = literalValue(place, field, right);
  return (value) => ordered(operator, field, value, wanted);
}

/** A literal in the form in which the field keeps its values. */
export function literalValue(place: Place, field: Field, literal: Literal): Value {
  if (literal.kind === 'null') return null;
  if (isText(field) && literal.kind === 'text') return literal.value;
  if (field.type === 'boolean' && literal.kind === 'boolean') return literal.value;
  if ((field.type === 'double' || field.type === 'int') && literal.kind === 'number')
    return literal.value;
  if (field.type === 'datetime' && literal.kind === 'datetime') return literal.ms;
  if (field.type === 'date' && literal.kind === 'date') return literal.text;
  if ((field.type === 'id' || field.type === 'reference') && literal.kind === 'text') {
    const id = literal.value === '' ? '' : normalizeId(literal.value);
    if (id !== null) return id;
    throw queryError(
      'INVALID_QUERY_FILTER_OPERATOR',
      place.source,
      literal.at,
      `invalid ID field: ${literal.value}`,
    );
  }
  throw wrongKind(place, field, literal);
}

/** Salesforce compares texts without case, but where a unique field minds it. */
export function comparable(field: Field, value: Value): Value {
  if (typeof value !== 'string' || !isText(field)) return value;
  return field.caseSensitive ? value : value.toLowerCase();
}

function ordered(operator: Operator, field: Field, value: Value, wanted: Value): boolean {
  const left = comparable(field, value);
  const right = comparable(field, wanted === '' ? null : wanted);
  if (operator === '=') return left === right;
  if (operator === '!=') return left !== right; // an empty field differs from every value
  if (left === null || right === null) return false;
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}

function nullTest(place: Place, field: Field, operator: Operator, right: Literal): Test {
  if (operator === '=') return (value) => value === null;
  if (operator === '!=') return (value) => value !== null;
  throw queryError(
    'INVALID_QUERY_FILTER_OPERATOR',
    place.source,
    right.at,
    `invalid operator on ${field.name}: null is compared by = and != only`,
  );
}

function rangeTest(field: Field, operator: Operator, { from, to }: Range): Test {
  const at = (value: Value): number | null => {
    if (value === null) return null;
    return field.type === 'date' ? Date.parse(String(value)) : Number(value);
  };
  return (value) => {
    const ms = at(value);
    if (ms === null) return operator === '!=';
    if (operator === '=') return ms >= from && ms < to;
    if (operator === '!=') return ms < from || ms >= to;
    if (operator === '<') return ms < from;
    if (operator === '<=') return ms < to;
    return operator === '>' ? ms >= to : ms >= from;
  };
}

function likeTest(place: Place, field: Field, right: Literal): Test {
  if (!isText(field)) {
    throw queryError(
      'INVALID_QUERY_FILTER_OPERATOR',
      place.source,
      right.at,
      `invalid operator on ${field.type} field`,
    );
  }
  if (right.kind !== 'text') throw wrongKind(place, field, right);
  const pattern = right.pattern.replaceAll(
    /\\([\s\S])|([%_])|([\s\S])/gu,
    (_, escaped, wild, plain) => {
      if (wild === '%') return '[\\s\\S]*';
      return wild === '_' ? '[\\s\\S]' : literally(String(escaped ?? plain));
    },
  );
  const expression = new RegExp(`^${pattern}$`, field.caseSensitive ? 'u' : 'iu');
  return (value) => typeof value === 'string' && expression.test(value);
}

function literally(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`).replaceAll(String.raw`\-`, '-');
}

function isMoment({ type }: Field): boolean {
  return type === 'date' || type === 'datetime';
}

function wrongKind(place: Place, field: Field, literal: Literal): ApiError {
  const type = { double: 'double', datetime: 'dateTime', reference: 'ID', longtext: 'textarea' };
  const named = type[field.type as keyof typeof type] ?? (isText(field) ? 'string' : field.type);
  const quotes = isText(field) || field.type === 'id' || field.type === 'reference';
  return queryError(
    'INVALID_FIELD',
    place.source,
    literal.at,
    `value of filter criterion for field '${field.name}' must be of type ${named} and should ${quotes ? '' : 'not '}be enclosed in quotes`,
  );
}

/** For ORDER BY, MIN and MAX: picklists go by their list, texts without case. Neither is null. */
export function sortKey(field: Field, value: Value): string | number {
  if (field.type === 'picklist' && field.values.length > 0) {
    const place = field.values.indexOf(String(value));
    return place < 0 ? field.values.length : place;
  }
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return String(comparable(field, value));
}

/** From the first moment of the range, up to but without `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

type Unit = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

/**
 * A date literal, in UTC (the user's time zone here). `LAST_N_DAYS:n` goes from n days ago to the end of today
 * and `NEXT_N_DAYS:n` begins tomorrow; the other `LAST_` and `NEXT_` leave the current one out. Null: there
 * is no such literal.
 */
function rangeOf(name: string, count: number | null, now: number): Range | null {
  if (name === 'TODAY') return units('DAY', now, 0, 1);
  if (name === 'YESTERDAY') return units('DAY', now, -1, 0);
  if (name === 'TOMORROW') return units('DAY', now, 1, 2);
  if (name === 'LAST_90_DAYS') return units('DAY', now, -90, 1);
  if (name === 'NEXT_90_DAYS') return units('DAY', now, 1, 91);
  const many = /^(LAST|NEXT)_N_(DAY|WEEK|MONTH|QUARTER|YEAR)S$/.exec(name);
  const ago = /^N_(DAY|WEEK|MONTH|QUARTER|YEAR)S_AGO$/.exec(name);
  const one = /^(LAST|THIS|NEXT)_(WEEK|MONTH|QUARTER|YEAR)$/.exec(name);
  if (many !== null && count !== null) {
    const unit = many[2] as Unit;
    if (many[1] === 'NEXT') return units(unit, now, 1, count + 1);
    return units(unit, now, -count, unit === 'DAY' ? 1 : 0);
  }
  if (ago !== null && count !== null) return units(ago[1] as Unit, now, -count, 1 - count);
  if (one !== null && count === null) {
    const shift = { LAST: -1, THIS: 0, NEXT: 1 }[one[1] ?? ''] ?? 0;
    return units(one[2] as Unit, now, shift, shift + 1);
  }
  return null;
}

function units(unit: Unit, now: number, from: number, to: number): Range {
  return { from: start(unit, now, from), to: start(unit, now, to) };
}

function start(unit: Unit, now: number, shift: number): number {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case 'DAY':
      return Date.UTC(year, month, day + shift);
    case 'WEEK':
      return Date.UTC(year, month, day - date.getUTCDay() + 7 * shift); // weeks begin on Sunday
    case 'MONTH':
      return Date.UTC(year, month + shift, 1);
    case 'QUARTER':
      return Date.UTC(year, month - (month % 3) + 3 * shift, 1);
    case 'YEAR':
      return Date.UTC(year + shift, 0, 1);
  }
}
