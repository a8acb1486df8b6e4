import { createDice } from '@millrace/testkit';
import { resolveParameters } from '@millrace/workload-kit';
import { describe, expect, test } from 'vitest';
import { parameter } from '../../../kit/test/parameters.ts';
import { arrayLiteral, boundValues, typesOf } from './bind.ts';

const MOMENT = { now: Date.UTC(2026, 0, 31, 12), timeZone: 'UTC' };

describe('what is bound', () => {
  test('has a Postgres type, and a range has two names', () => {
    const parameters = [
      parameter('whole number', { name: 'county', list: true }),
      parameter('date range', { name: 'period' }),
      parameter('month', { name: 'month' }),
      parameter('text', { name: 'none', required: false }),
    ];
    expect(typesOf(parameters)).toEqual({
      county: 'bigint[]',
      period_from: 'date',
      period_to: 'date',
      month: 'date',
      none: 'text',
    });
    const read = resolveParameters(
      parameters,
      { county: ['19', '7'], period: '2026-01', month: 'last month' },
      MOMENT,
    );
    expect('values' in read && boundValues(parameters, read.values)).toEqual([
      { name: 'county', type: 'bigint[]', value: '{"19","7"}' },
      { name: 'period_from', type: 'date', value: '2026-01-01' },
      { name: 'period_to', type: 'date', value: '2026-01-31' },
      { name: 'month', type: 'date', value: '2025-12-01' },
      { name: 'none', type: 'text', value: null },
    ]);
  });

  test('the literal of an array reads back as what it was made of, whatever that is', () => {
    const dice = createDice('arrays');
    const letters: [string, ...string[]] = [
      '"',
      '\\',
      '{',
      '}',
      ',',
      "'",
      ' ',
      'N',
      'U',
      'L',
      'ß',
      '\n',
      ';',
      '-',
    ];
    for (let round = 0; round < 1_000; round += 1) {
      const values = Array.from({ length: dice.integer(0, 4) }, () =>
        Array.from({ length: dice.integer(0, 6) }, () => dice.pick(letters)).join(''),
      );
      expect(readArray(arrayLiteral(values))).toEqual(values);
    }
  });
});

/** As Postgres reads an array whose values are in quotes. */
function readArray(literal: string): string[] {
  const values: string[] = [];
  let at = 1;
  while (literal[at] === '"' || literal[at] === ',') {
    if (literal[at] === ',') at += 1;
    let value = '';
    for (at += 1; literal[at] !== '"'; at += 1) {
      if (literal[at] === '\\') at += 1;
      value += literal[at];
    }
    values.push(value);
    at += 1;
  }
  expect(literal.slice(at)).toBe('}');
  return values;
}
