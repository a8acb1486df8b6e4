import { describe, expect, it } from 'vitest';
import {
  RETRY,
  type RetryPolicy,
  checkRetry,
  exponentialMs,
  maxAttempts,
  retryDelayMs,
} from './retry.ts';

const middle = () => 0.5;

function delays(policy: RetryPolicy, random = middle): number[] {
  return Array.from({ length: maxAttempts(policy) - 1 }, (_, index) =>
    retryDelayMs(policy, index + 1, random),
  );
}

describe('the policies that have a name', () => {
  it('standard: four attempts, after 1, 5 and 15 minutes', () => {
    expect(maxAttempts(RETRY.standard)).toBe(4);
    expect(delays(RETRY.standard)).toEqual([60_000, 300_000, 900_000]);
  });

  it('chunks: 1, 2 and 3 seconds', () => {
    expect(delays(RETRY.chunks)).toEqual([1_000, 2_000, 3_000]);
  });

  it('polls: doubling from 2 to 30 seconds', () => {
    expect(delays(RETRY.polls)).toEqual([
      2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('never: one attempt', () => {
    expect(maxAttempts(RETRY.never)).toBe(1);
    expect(retryDelayMs(RETRY.never, 1, middle)).toBe(0);
  });
});

describe('jitter', () => {
  it('spreads evenly over ±20 %, and over no more', () => {
    expect(retryDelayMs(RETRY.polls, 1, () => 0)).toBe(1_600);
    expect(retryDelayMs(RETRY.polls, 1, () => 0.25)).toBe(1_800);
    expect(retryDelayMs(RETRY.polls, 1, () => 0.999_999)).toBe(2_400);
  });

  it('applies after the maximum, so that the longest waits are spread too', () => {
    expect(retryDelayMs(RETRY.polls, 10, () => 0)).toBe(24_000);
  });
});

it('doubles for ever without leaving the numbers', () => {
  const policy = { base: '2s', max: '30s', jitter: 0 } as const;
  expect(exponentialMs(policy, 5_000, middle)).toBe(30_000);
});

it('more attempts than steps wait for the last step', () => {
  expect(retryDelayMs(RETRY.standard, 9, middle)).toBe(900_000);
});

describe('a policy that is not possible is refused where it is declared', () => {
  it.each<[string, unknown, string]>([
    ['a delay without a unit', { backoff: 'steps', delays: ['1m', '5'] }, 'delays[1]: "5" is not'],
    ['a negative delay', { backoff: 'steps', delays: [-1] }, 'delays[0]: this is not possible.'],
    ['no list of delays', { backoff: 'steps', delays: '1m' }, 'delays: this is not possible.'],
    ['negative retries', { backoff: 'linear', retries: -1, step: '1s' }, 'retries: this is not'],
    ['half a retry', { backoff: 'linear', retries: 1.5, step: '1s' }, 'retries: this is not'],
    ['no step', { backoff: 'linear', retries: 1 }, 'step: "undefined" is not a duration.'],
    [
      'no retries at all',
      { backoff: 'exponential', base: '1s', max: '2s', jitter: 0 },
      'retries: this is not possible. Give it a whole number from 0 to 1,000,000.',
    ],
    [
      'a jitter that could turn time back',
      { backoff: 'exponential', retries: 3, base: '1s', max: '2s', jitter: 1.5 },
      'jitter: this is not possible. Give it a number from 0 to 1.',
    ],
    [
      'a backoff that nobody knows',
      { backoff: 'expo', retries: 3 },
      'backoff: this is not possible. Give it "steps", "linear" or "exponential".',
    ],
    ['a number', 3, 'backoff: this is not possible.'],
    [
      'a field of another library',
      { backoff: 'steps', delays: ['1m'], attempts: 3 },
      'attempts: there is no such field. There are backoff, delays.',
    ],
    ['a misspelt field', { backoff: 'linear', retrys: 3, step: '1s' }, 'retrys: there is no such'],
  ])('%s', (_, policy, sentence) => {
    const check = () => checkRetry('work', policy as RetryPolicy);
    expect(check).toThrow(expect.objectContaining({ code: 'invalid_definition' }));
    expect(check).toThrow(`The kind "work", retry.${sentence}`);
  });

  it.each(Object.values(RETRY))('and %j is possible', (policy) => {
    expect(checkRetry('work', policy)).toBe(policy);
  });
});
