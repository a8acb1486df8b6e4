import { describe, expect, test } from 'vitest';
import { errorOf, peer } from '../test/line.ts';
import { type Facts, HttpError } from './errors.ts';
import { isTransient, pauseMs, retryAfterMs, withRetries } from './retry.ts';

const failed = (facts: Partial<Facts>): HttpError =>
  new HttpError('No.', { code: 'x', kind: 'unavailable', outcome: 'unknown', ...facts });

describe('an error passes by itself', () => {
  test.each<[string, boolean, Partial<Facts>, boolean]>([
    ['lost, and safe', true, {}, true],
    ['lost, and a write', false, {}, false],
    ['a write that was not sent', false, { outcome: 'notSent' }, true],
    [
      'a write that was not let in',
      false,
      { kind: 'limit', outcome: 'refused', retryable: true },
      true,
    ],
    ['refused for good', true, { retryable: false }, false],
    ['called off', true, { code: 'canceled' }, false],
    ['another kind', true, { kind: 'data', retryable: true }, false],
  ])('%s', (_what, safe, facts, transient) => {
    expect(isTransient(failed(facts), safe)).toBe(transient);
  });
});

test('pauses grow, are longer after a limit and by what was asked for, and end', () => {
  const half = (): number => 0.5;
  const limit = { kind: 'limit', retryAfterMs: 5_000 };
  expect([0, 1, 2, 3].map((n) => pauseMs(n, half))).toEqual([375, 750, 1_500, null]);
  expect([0, 1].map((n) => pauseMs(n, half, limit))).toEqual([6_500, 8_000]);
  expect(pauseMs(0, half, { ...limit, retryAfterMs: 31_000 })).toBeNull();
});

test('the error before a pause is reported when the caller gives up in it', async () => {
  const slept: number[] = [];
  let left = 2;
  const run = (sleep: () => Promise<void>) =>
    withRetries(async () => Promise.reject(peer.invalidAnswer(`try ${left}`)), {
      pause: () => (left-- > 0 ? left : null),
      async sleep(ms) {
        slept.push(ms);
        await sleep();
      },
    });
  expect((await errorOf(run(async () => {}))).message).toBe('Try 0');
  left = 2;
  expect((await errorOf(run(() => Promise.reject(new Error('woken'))))).message).toBe('Try 2');
  // A pause of 0 is none.
  expect(slept).toEqual([1, 1]);
});

test.each([
  ['5', 5_000],
  ['0.2', 200],
  ['0', null],
  ['-1', null],
  ['soon', null],
  ['', null],
  [undefined, null],
  ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
  ['Wed, 31 Dec 2025 23:59:53 GMT', null],
  ['999999999', 3_600_000],
])('Retry-After %j is %j ms', (header, ms) => {
  expect(retryAfterMs(header, Date.UTC(2026, 0, 1))).toBe(ms);
});

test('the same error but for what is given keeps its class and the rest', () => {
  const error = failed({ status: 503, retryAfterMs: 7, retryable: false });
  const other = error.with({ message: 'Oh.', outcome: 'notSent' });
  expect(other).toMatchObject({
    message: 'Oh.',
    outcome: 'notSent',
    status: 503,
    retryable: false,
  });
  expect(other).toBeInstanceOf(HttpError);
});
