import { expect, it } from 'vitest';
import { defer, done, isOutcome } from './outcome.ts';

it('done has a result and effects, if only null and none', () => {
  expect(done()).toEqual({ type: 'done', result: null, effects: [] });
  expect(done(5, { effects: [{ type: 'upload' }] })).toEqual({
    type: 'done',
    result: 5,
    effects: [{ type: 'upload' }],
  });
});

it('defer counts in milliseconds and never back', () => {
  expect(defer({ after: '2s', data: 1 })).toEqual({ type: 'defer', afterMs: 2_000, data: 1 });
  expect(defer({ after: -5 })).toEqual({ type: 'defer', afterMs: 0, data: undefined });
  expect(() => defer({ after: NaN })).toThrow('not a duration');
});

it.each([done(), done(undefined), defer({ after: 0 })])('%j is an outcome', (outcome) => {
  expect(isOutcome(outcome)).toBe(true);
});

it.each([
  null,
  5,
  'done',
  {},
  { type: 'other' },
  { type: 'done', result: 1 },
  { type: 'done', effects: 'x' },
  { type: 'defer' },
  { type: 'defer', after: '2s' },
])('%j is none', (value) => {
  expect(isOutcome(value)).toBe(false);
});
