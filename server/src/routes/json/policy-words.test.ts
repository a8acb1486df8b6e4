import { RETRY, type RetryPolicy } from '@millrace/engine';
import { expect, test } from 'vitest';
import { policyInWords } from '../kinds.ts';

test.each<[RetryPolicy, string]>([
  [RETRY.never, 'no retries'],
  [RETRY.standard, '3 retries, after 1 min, 5 min and 15 min'],
  [{ backoff: 'steps', delays: ['90s'] }, 'one retry, after 90 s'],
  [RETRY.chunks, '3 retries, after 1 s, 2 s, 3 s'],
  [RETRY.polls, '10 retries, after 2 s, doubling up to 30 s, ±20 %'],
  [{ backoff: 'linear', retries: 2, step: 1_500 }, '2 retries, after 1500 ms, 3 s'],
])('%j', (policy, words) => expect(policyInWords(policy)).toBe(words));
