import { createDice } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { parameter } from '../../test/parameters.ts';
import { formOf } from './form.ts';
import { givenFromJson, givenFromTexts } from './given.ts';
import { compareNumbers, readDecimal } from './numbers.ts';
import { canonicalParameters, resolveParameters } from './resolve.ts';
import type { Parameter, ParameterType } from './types.ts';

const MOMENT = { now: Date.UTC(2026, 0, 31, 12), timeZone: 'UTC' };
const status = [
  { value: 'open', label: 'Open' },
  { value: 'paid', label: 'Paid' },
];

function resolved(given: string | readonly string[] | null | undefined, it: Parameter): unknown {
  const read = resolveParameters([it], given === undefined ? {} : { it: given }, MOMENT);
  return 'values' in read ? read.values['it'] : read.problems.map(({ message }) => message);
}

describe('one that may not be before another', () => {
  test.each<[ParameterType, string, string, boolean]>([
    ['date', '2026-01-02', '2026-01-01', false],
    ['date', '2026-01-01', '2026-01-01', true],
    ['date', 'yesterday', 'today', true],
    ['date', 'tomorrow', 'today', false],
    ['month', '2026-02', '2026-01', false],
    ['whole number', '9', '10', true],
    ['whole number', '10', '9', false],
    ['decimal', '1.5', '1.25', false],
  ])('%s: from %s to %s', (type, from, to, fits) => {
    const parameters = [
      { ...parameter(type), name: 'from' },
      { ...parameter(type), name: 'to', notBefore: 'from' },
    ];
    const read = resolveParameters(parameters, { from, to }, MOMENT);
    if (fits) expect(read).toHaveProperty('values');
    else
      expect(read).toEqual({
        problems: [{ parameter: 'to', message: expect.stringContaining('before "from"') }],
      });
  });

  test('either may be left out', () => {
    const from = { ...parameter('date'), name: 'from', required: false };
    const to = { ...parameter('date'), name: 'to', required: false, notBefore: 'from' };
    for (const given of [{}, { from: '2026-01-01' }, { to: '2026-01-01' }])
      expect(resolveParameters([from, to], given, MOMENT)).toHaveProperty('values');
  });
});

describe('a value has one way to be written', () => {
  test.each<[ParameterType, string, string]>([
    ['whole number', ' +019 ', '19'],
    ['whole number', '-0', '0'],
    ['whole number', '9223372036854775807', '9223372036854775807'],
    ['decimal', '+01.50', '1.5'],
    ['decimal', '.5', '0.5'],
    ['decimal', '-0.00', '0'],
    ['decimal', '12345678901234567890.123456789', '12345678901234567890.123456789'],
    ['boolean', 'Yes', 'true'],
    ['boolean', '0', 'false'],
    ['date', ' Yesterday', '2026-01-30'],
    ['month', 'last month', '2025-12'],
    ['text', ' as it is ', ' as it is '],
  ])('%s "%s" is "%s"', (type, text, value) => {
    expect(resolved(text, parameter(type))).toBe(value);
    expect(resolved(value, parameter(type))).toBe(value);
  });

  test.each<[ParameterType, string]>([
    ['whole number', '1.5'],
    ['whole number', '9223372036854775808'],
    ['whole number', '1e3'],
    ['whole number', "1'; DROP TABLE counties; --"],
    ['decimal', '1,5'],
    ['decimal', 'NaN'],
    ['decimal', '.'],
    ['boolean', 'maybe'],
    ['text', 'a\u0000b'],
    ['text', '\ud800'],
    ['date', 'today; SELECT 1'],
  ])('%s "%s" is refused', (type, text) =>
    expect(resolved(text, parameter(type))).toEqual([expect.any(String)]),
  );

  test('a choice is one of the choices, and a slip gets the one that was meant', () => {
    const it = parameter('choice', { choices: status });
    expect(resolved('paid', it)).toBe('paid');
    expect(resolved('piad', it)).toEqual(['There is no "piad" here. Did you mean "paid"?']);
    expect(resolved('xxxxxxxx', it)).toEqual(['Write one of open, paid.']);
  });

  test('bounds hold, those in words too', () => {
    expect(resolved('0', parameter('whole number', { min: '1' }))).toEqual([
      'Write a number of at least 1.',
    ]);
    expect(resolved('10', parameter('whole number', { min: '9', max: '10' }))).toBe('10');
    expect(resolved('1.51', parameter('decimal', { max: '1.5' }))).toHaveLength(1);
    expect(resolved('tomorrow', parameter('date', { max: 'today' }))).toEqual([
      'It is after 2026-01-31.',
    ]);
    expect(resolved('2025', parameter('text', { max: '3' }))).toHaveLength(1);
    expect(resolved('last 2 years', parameter('date range', { min: '2025-01-01' }))).toEqual([
      'It begins before 2025-01-01.',
    ]);
    expect(resolved('x'.repeat(1_001), parameter('text'))).toHaveLength(1);
  });

  test('numbers are compared exactly', () => {
    const dice = createDice('numbers');
    for (let round = 0; round < 2_000; round += 1) {
      const [a, b] = [dice.integer(-9_999, 9_999), dice.integer(-9_999, 9_999)];
      const text = (value: number) => readDecimal((value / 100).toFixed(2)) ?? '';
      expect(compareNumbers(text(a), text(b))).toBe(Math.sign(a - b) + 0);
    }
  });
});

describe('what was left out', () => {
  test('is the default, or none where that may be, or a problem', () => {
    expect(resolved(undefined, parameter('date', { default: 'yesterday' }))).toBe('2026-01-30');
    expect(resolved(undefined, parameter('date', { required: false }))).toBeNull();
    expect(resolved(undefined, parameter('date'))).toEqual(['Give it a value.']);
  });
  test('an empty field is none, and not the default', () => {
    const optional = parameter('date', { default: 'yesterday', required: false });
    expect(resolved('', optional)).toBeNull();
    expect(resolved(null, optional)).toBeNull();
    expect(resolved('', parameter('text', { required: false }))).toBeNull();
    expect(resolved('', parameter('text', { default: 'x' }))).toEqual(['Give it a value.']);
  });
  test('names that are not declared are problems, with the one that was meant', () => {
    const from = parameter('date', { name: 'from', default: 'today' });
    expect(resolveParameters([from], { form: 'today' }, MOMENT)).toEqual({
      problems: [
        { parameter: 'form', message: 'There is no such parameter. Did you mean "from"?' },
      ],
    });
    expect(resolveParameters([from], { constructor: 'x' }, MOMENT)).toHaveProperty('problems');
    expect(
      resolveParameters([parameter('text', { name: 'constructor', required: false })], {}, MOMENT),
    ).toEqual({
      values: { constructor: null },
    });
  });
});

describe('a list', () => {
  const it = parameter('whole number', { list: true });
  test('is a set: in order, without repetitions', () => {
    expect(resolved(['3', '+1', '03'], it)).toEqual(['1', '3']);
    expect(resolved(['1', 'x'], it)).toEqual(['Write a whole number, such as 19.']);
    expect(resolved(Array(1_001).fill('1'), it)).toEqual(['Give it 1000 values at most.']);
    expect(resolved(['1'], parameter('whole number'))).toEqual(['Give it one value.']);
  });
  test('comes from a command line by commas or by repetition; texts by repetition alone', () => {
    const given = (of: Parameter, texts: string | string[]) => givenFromTexts([of], { it: texts });
    expect(given(it, '1, 2')).toEqual({ given: { it: ['1', '2'] } });
    expect(given(it, ['1', '2,3'])).toEqual({ given: { it: ['1', '2', '3'] } });
    expect(given(parameter('text', { list: true }), 'Smith, John')).toEqual({
      given: { it: ['Smith, John'] },
    });
    expect(given(parameter('text'), ['a', 'b'])).toEqual({
      problems: [{ parameter: 'it', message: 'It was given more than once.' }],
    });
  });
  test('comes from JSON as a list', () => {
    const given = (of: Parameter, value: unknown) => givenFromJson([of], { it: value });
    expect(given(it, [1, '2'])).toEqual({ given: { it: ['1', '2'] } });
    expect(given(it, 1)).toEqual({ given: { it: ['1'] } });
    expect(given(parameter('boolean'), true)).toEqual({ given: { it: 'true' } });
    expect(given(parameter('decimal'), 0.1)).toEqual({ given: { it: '0.1' } });
    expect(given(parameter('text'), null)).toEqual({ given: { it: null } });
    for (const value of [[1], { a: 1 }, 1e21, 2 ** 53 + 2, Number.NaN, [[1]]])
      expect(given(parameter('decimal'), value)).toHaveProperty('problems');
  });
});

test('the same parameters give the same text, however they were given', () => {
  const parameters = [
    parameter('whole number', { name: 'b', list: true }),
    parameter('date', { name: 'a' }),
    parameter('decimal', { name: 'c', default: '1.50' }),
  ];
  const text = (given: Record<string, string | string[]>) => {
    const read = resolveParameters(parameters, given, MOMENT);
    return 'values' in read ? canonicalParameters(read.values) : null;
  };
  const one = text({ a: 'today', b: ['2', '1'], c: '1.5' });
  expect(one).toBe('{"a":"2026-01-31","b":["1","2"],"c":"1.5"}');
  expect(text({ b: ['01', '2', '1'], a: '2026-01-31' })).toBe(one);
  expect(text({ b: ['1', '2'], a: '2026-01-30' })).not.toBe(one);
});

test('a form says what to fill in, and what the default is today', () => {
  const [county, from, state] = formOf(
    [
      parameter('whole number', { name: 'county' }),
      parameter('date', { name: 'from', default: 'start of last month' }),
      parameter('choice', { name: 'state', choices: status, list: true, required: false }),
    ],
    MOMENT,
  );
  expect(county).toMatchObject({ required: true, canBeEmpty: false, example: '--county 19' });
  expect(from).toMatchObject({
    required: false,
    canBeEmpty: false,
    default: 'start of last month',
    defaultNow: '2025-12-01',
  });
  expect(state).toMatchObject({ canBeEmpty: true, example: '--state open,paid' });
});
