import type { Random } from './clock.ts';
import { type Duration, toMs } from './duration.ts';
import { MillraceError } from './errors.ts';

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

/** The policies the three workloads ask for. */
export const RETRY = {
  never: { backoff: 'steps', delays: [] },
  /** Three retries, four attempts. */
  documents: { backoff: 'steps', delays: ['1m', '5m', '15m'] },
  chunks: { backoff: 'linear', retries: 3, step: '1s' },
  polls: { backoff: 'exponential', retries: 10, base: '2s', max: '30s', jitter: 0.2 },
} as const satisfies Record<string, RetryPolicy>;

export function maxAttempts(policy: RetryPolicy): number {
  return 1 + (policy.backoff === 'steps' ? policy.delays.length : policy.retries);
}

/** A wrong policy must show when it is declared, not when the first job fails. */
export function checkRetry(kind: string, policy: RetryPolicy): RetryPolicy {
  const delays =
    policy.backoff === 'steps'
      ? policy.delays
      : policy.backoff === 'linear'
        ? [policy.step]
        : [policy.base, policy.max];
  const retries = policy.backoff === 'steps' ? 0 : policy.retries;
  const jitter = policy.backoff === 'exponential' ? policy.jitter : 0;
  if (
    delays.some((delay) => !(toMs(delay) >= 0)) ||
    !(Number.isInteger(retries) && retries >= 0 && retries <= 1_000_000) ||
    !(jitter >= 0 && jitter <= 1)
  ) {
    throw new MillraceError(
      'invalid_definition',
      `The retry policy of "${kind}" is not possible: delays and retries are 0 or more, retries are whole and at most a million, the jitter is from 0 to 1.`,
    );
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
