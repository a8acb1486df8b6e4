import {
  type Condition,
  type Literal,
  type Operand,
  type Operator,
  type Query,
  isAggregate,
} from './ast.ts';
import { malformed } from './malformed.ts';
import type { Reader } from './reader.ts';

interface Parts {
  operand(): Operand;
  query(): Query;
}

/**
 * `a AND b AND c`, `a OR b`, but not both without parentheses: Salesforce has no precedence between them and
 * refuses the mix.
 */
export function parseCondition(reader: Reader, parts: Parts): Condition {
  const first = parseTerm(reader, parts);
  const kind = reader.sees('AND') ? 'and' : 'or';
  const all = [first];
  while (reader.takes(kind.toUpperCase())) all.push(parseTerm(reader, parts));
  if (reader.sees('AND') || reader.sees('OR')) throw reader.unexpected();
  return all.length === 1 ? first : { kind, parts: all };
}

function parseTerm(reader: Reader, parts: Parts): Condition {
  if (reader.takes('NOT')) return { kind: 'not', part: parseTerm(reader, parts) };
  if (reader.takes('(')) {
    const inside = parseCondition(reader, parts);
    reader.expect(')');
    return inside;
  }
  return parseComparison(reader, parts);
}

function parseComparison(reader: Reader, parts: Parts): Condition {
  const left = parts.operand();
  const not = reader.sees('NOT', 'IN') && reader.takes('NOT');
  if (reader.takes('IN')) {
    if (isAggregate(left)) throw reader.unexpected();
    return { kind: 'in', left, not, values: parseList(reader, parts) };
  }
  const operator = parseOperator(reader);
  return { kind: 'compare', left, operator, right: parseLiteral(reader) };
}

function parseOperator(reader: Reader): Operator {
  for (const operator of ['=', '!=', '<=', '>=', '<', '>', 'LIKE'] as const) {
    if (reader.takes(operator)) return operator;
  }
  if (reader.takes('<>')) return '!=';
  throw reader.unexpected();
}

function parseList(reader: Reader, parts: Parts): readonly Literal[] | Query {
  reader.expect('(');
  if (reader.sees('SELECT')) {
    const query = parts.query();
    reader.expect(')');
    return query;
  }
  const values = [parseLiteral(reader)];
  while (reader.takes(',')) values.push(parseLiteral(reader));
  reader.expect(')');
  return values;
}

function parseLiteral(reader: Reader): Literal {
  const token = reader.peek();
  const { at } = token;
  if (token.kind === 'symbol' && token.text === ':') {
    throw malformed(reader.source, at, `unexpected token: ':' (there are no bind variables here)`);
  }
  if (token.kind === 'symbol' || token.kind === 'end') throw reader.unexpected();
  reader.take();
  switch (token.kind) {
    case 'text':
      return { kind: 'text', at, value: token.value, pattern: token.pattern };
    case 'number':
      return { kind: 'number', at, value: token.value };
    case 'date':
      return { kind: 'date', at, text: token.text };
    case 'datetime':
      return { kind: 'datetime', at, ms: token.ms };
    case 'word':
      return wordLiteral(reader, token.text.toUpperCase(), at);
  }
}

function wordLiteral(reader: Reader, word: string, at: number): Literal {
  if (word === 'NULL') return { kind: 'null', at };
  if (word === 'TRUE' || word === 'FALSE') return { kind: 'boolean', at, value: word === 'TRUE' };
  if (/(?:^|_)N_/.test(word)) {
    reader.expect(':');
    return { kind: 'range', at, name: word, count: reader.number() };
  }
  if (!PLAIN_RANGES.has(word)) throw malformed(reader.source, at, `unexpected token: '${word}'`);
  return { kind: 'range', at, name: word, count: null };
}

const UNITS = ['WEEK', 'MONTH', 'QUARTER', 'YEAR'];
const PLAIN_RANGES: ReadonlySet<string> = new Set([
  'TODAY',
  'YESTERDAY',
  'TOMORROW',
  'LAST_90_DAYS',
  'NEXT_90_DAYS',
  ...UNITS.flatMap((unit) => [`LAST_${unit}`, `THIS_${unit}`, `NEXT_${unit}`]),
]);
