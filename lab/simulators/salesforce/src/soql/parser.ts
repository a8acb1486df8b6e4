import { ApiError } from '../errors.ts';
import {
  AGGREGATES,
  type Aggregate,
  type AggregateName,
  type Condition,
  type Name,
  type Operand,
  type Order,
  type Query,
  type SelectItem,
} from './ast.ts';
import { parseCondition } from './conditions.ts';
import { malformed } from './malformed.ts';
import { type Reader, createReader } from './reader.ts';

export function parse(source: string): Query {
  if (source.trim() === '') {
    throw new ApiError('MALFORMED_QUERY', 'SOQL statements cannot be empty or null');
  }
  const reader = createReader(source);
  const query = parseQuery(reader);
  if (reader.peek().kind !== 'end') throw reader.unexpected();
  return query;
}

/** A whole query, or one in parentheses whose end the caller sees. */
export function parseQuery(reader: Reader): Query {
  if (!reader.takes('SELECT')) throw reader.unexpected();
  const select = parseSelect(reader);
  reader.expect('FROM');
  const from = reader.name();
  const isAlias = reader.peek().kind === 'word' && !CLAUSES.has(reader.peek().text.toUpperCase());
  const alias = isAlias ? reader.name().text : null;
  const where = reader.takes('WHERE') ? conditionIn(reader) : null;
  const groupBy = reader.takes('GROUP', 'BY') ? listOf(reader, () => reader.name()) : [];
  const having = reader.takes('HAVING') ? conditionIn(reader) : null;
  const orderAt = reader.peek().at;
  const orderBy = reader.takes('ORDER', 'BY') ? listOf(reader, () => parseOrder(reader)) : [];
  const limit = reader.takes('LIMIT') ? reader.number() : null;
  const offset = reader.takes('OFFSET') ? parseOffset(reader) : 0;
  const forUpdate = reader.takes('FOR', 'UPDATE');
  if (!forUpdate && reader.takes('FOR')) {
    if (!reader.takes('VIEW') && !reader.takes('REFERENCE')) throw reader.unexpected();
  }
  if (forUpdate && orderBy.length > 0) {
    throw malformed(reader.source, orderAt, 'ORDER BY cannot be used together with FOR UPDATE');
  }
  return { select, from, alias, where, groupBy, having, orderBy, limit, offset, forUpdate };
}

const CLAUSES = new Set([
  'WHERE',
  'GROUP',
  'HAVING',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'FOR',
  'WITH',
  'USING',
]);

function conditionIn(reader: Reader): Condition {
  return parseCondition(reader, {
    operand: () => parseOperand(reader),
    query: () => parseQuery(reader),
  });
}

function parseSelect(reader: Reader): SelectItem[] {
  return listOf(reader, () => parseItem(reader));
}

function parseItem(reader: Reader): SelectItem {
  if (reader.takes('(')) {
    const query = parseQuery(reader);
    reader.expect(')');
    return { kind: 'children', query };
  }
  if (reader.takes('COUNT', '(', ')')) return { kind: 'count' };
  if (reader.sees('FIELDS', '(')) return parseFields(reader);
  const operand = parseOperand(reader);
  const alias = parseAlias(reader);
  return 'call' in operand
    ? { kind: 'aggregate', call: operand, alias }
    : { kind: 'field', name: operand, alias };
}

function parseAlias(reader: Reader): string | null {
  const { kind, text } = reader.peek();
  if (kind !== 'word' || text.toUpperCase() === 'FROM') return null;
  return reader.name().text;
}

function parseFields(reader: Reader): SelectItem {
  const { at } = reader.take();
  reader.take();
  const scope = reader.take().text.toUpperCase();
  reader.expect(')');
  if (scope === 'ALL' || scope === 'CUSTOM' || scope === 'STANDARD')
    return { kind: 'all', scope, at };
  throw malformed(reader.source, at, `unexpected token: '${scope}'`);
}

function parseOperand(reader: Reader): Operand {
  const word = reader.peek().text.toUpperCase();
  const call = AGGREGATES.find((each) => each === word);
  return call !== undefined && reader.sees(word, '(')
    ? parseAggregate(reader, call)
    : plainName(reader);
}

/** SOQL has functions that this one has not; they are refused at their parenthesis. */
function plainName(reader: Reader): Name {
  const name = reader.name();
  if (reader.sees('(')) throw reader.unexpected();
  return name;
}

function parseAggregate(reader: Reader, call: AggregateName): Aggregate {
  reader.take();
  reader.expect('(');
  const name = reader.name();
  reader.expect(')');
  return { call, name };
}

function parseOrder(reader: Reader): Order {
  const by = parseOperand(reader);
  const descending = reader.takes('DESC');
  if (!descending) reader.takes('ASC');
  const nullsLast = reader.takes('NULLS', 'LAST');
  if (!nullsLast) reader.takes('NULLS', 'FIRST');
  return { by, descending, nullsLast };
}

function parseOffset(reader: Reader): number {
  const offset = reader.number();
  if (offset <= MOST_OFFSET) return offset;
  throw new ApiError('NUMBER_OUTSIDE_VALID_RANGE', `Maximum SOQL offset allowed is ${MOST_OFFSET}`);
}

const MOST_OFFSET = 2000;

function listOf<T>(reader: Reader, parseOne: () => T): T[] {
  const list = [parseOne()];
  while (reader.takes(',')) list.push(parseOne());
  return list;
}
