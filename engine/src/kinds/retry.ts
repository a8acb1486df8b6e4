import type { Random } from '../time/clock.ts';
import { either, fieldsOf } from './definition.ts';
import { type Duration, toMs } from '../time/duration.ts';

/** Retry policies are data: what waits between the attempts of a failing job. */
export type RetryPolicy =
  | { readonly backoff: 'steps'; readonly delays: readonly Duration[] }
  | { readonly backoff: 'linear'; readonly retries: number; readonly step: Duration }
  | {
      readonly backoff: 'exponential';
      readonly retries: number;
      readonly base: Duration;
      readonly max: Duration;
      /** 0.2 spreads each delay evenly over ±20 %. */
      readonly jitter: number;
    };

export const RETRY = {
  never: { backoff: 'steps', delays: [] },
  /** For every kind that names no policy of its own: three retries, four attempts. */
  standard: { backoff: 'steps', delays: ['1m', '5m', '15m'] },
  chunks: { backoff: 'linear', retries: 3, step: '1s' },
  polls: { backoff: 'exponential', retries: 10, base: '2s', max: '30s', jitter: 0.2 },
} as const satisfies Record<string, RetryPolicy>;

export function maxAttempts(policy: RetryPolicy): number {
  return 1 + (policy.backoff === 'steps' ? policy.delays.length : policy.retries);
}

const BACKOFFS: readonly RetryPolicy['backoff'][] = ['steps', 'linear', 'exponential'];

/** `attempts` or `delay`, as elsewhere policies have them, would be passed over without a word. */
const FIELDS: Readonly<Record<RetryPolicy['backoff'], Readonly<Record<string, true>>>> = {
  steps: { backoff: true, delays: true },
  linear: { backoff: true, retries: true, step: true },
  exponential: { backoff: true, retries: true, base: true, max: true, jitter: true },
};

/** A wrong policy must show when it is declared, not when the first job fails. */
export function checkRetry(kind: string, policy: RetryPolicy): RetryPolicy {
  const fields = fieldsOf(`The kind "${kind}"`);
  const checkDelay = (field: string, delay: Duration): void =>
    fields.require(
      field,
      fields.read(field, () => toMs(delay)) >= 0,
      'a duration of 0 or more, such as "30s" or "5m"',
    );
  fields.require('retry.backoff', BACKOFFS.includes(policy?.backoff), either(BACKOFFS));
  fields.known<object>(policy, FIELDS[policy.backoff], 'retry');
  if (policy.backoff === 'steps') {
    fields.require(
      'retry.delays',
      Array.isArray(policy.delays),
      'a list of durations, such as ["1m", "5m"]',
    );
    policy.delays.forEach((delay, index) => checkDelay(`retry.delays[${index}]`, delay));
    return policy;
  }
  const { retries } = policy;
  fields.require(
    'retry.retries',
    Number.isInteger(retries) && retries >= 0 && retries <= 1_000_000,
    'a whole number from 0 to 1,000,000',
  );
  if (policy.backoff === 'linear') checkDelay('retry.step', policy.step);
  else {
    checkDelay('retry.base', policy.base);
    checkDelay('retry.max', policy.max);
    const { jitter } = policy;
    fields.require('retry.jitter', jitter >= 0 && jitter <= 1, 'a number from 0 to 1');
  }
  return policy;
}

/** How long to wait after failed attempt number `attempt` (from 1). */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: Random): number {
  switch (policy.backoff) {
    case 'steps':
      return toMs(policy.delays[Math.min(attempt, policy.delays.length) - 1] ?? 0);
    case 'linear':
      return attempt * toMs(policy.step);
    case 'exponential':
      return exponentialMs(policy, attempt - 1, random);
  }
}

/** Base × 2ⁿ up to max, spread by the jitter. Also the rhythm of self-deferring polls. */
export function exponentialMs(
  policy: { readonly base: Duration; readonly max: Duration; readonly jitter: number },
  n: number,
  random: Random,
): number {
  const delay = Math.min(toMs(policy.base) * 2 ** n, toMs(policy.max));
  return Math.round(delay * (1 + policy.jitter * (2 * random() - 1)));
}
