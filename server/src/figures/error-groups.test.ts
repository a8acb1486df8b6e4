import type { Failure } from '@millrace/store-postgres';
import { expect, test } from 'vitest';
import { groupsOf } from './error-groups.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const HOUR = 3_600_000;

const failure = (n: number, more: Partial<Failure> = {}): Failure => ({
  id: `pg-${n}`,
  kind: 'a',
  code: 'broken',
  message: `Row ${n} is broken.`,
  retryable: false,
  at: NOW - n * HOUR,
  ...more,
});

test('jobs of one kind, code and cause are one group, with the newest five and each hour of a day', async () => {
  const failed = Array.from({ length: 30 }, (_, n) => failure(n));
  const { groups, truncated } = await groupsOf({ failed, retrying: [failure(3)] }, NOW);
  expect(truncated).toBe(false);
  expect(groups).toMatchObject([
    {
      cause: 'Row … is broken.',
      message: 'Row 0 is broken.',
      counts: { failed: 30, retrying: 1 },
      firstAt: '2026-03-09T07:00:00.000Z',
      lastAt: '2026-03-10T12:00:00.000Z',
      isNew: false,
      helps: 'correct',
      advice: null,
      sample: ['pg-0', 'pg-1', 'pg-2', 'pg-3', 'pg-4'],
      filter: { kind: 'a', errorCode: 'broken' },
    },
  ]);
  expect(groups[0]?.hours).toEqual([...Array.from({ length: 20 }, () => 1), 2, 1, 1, 1]);
});

test('what helps comes from the table of codes, then from the failure itself', async () => {
  const of = async (code: string, retryable: boolean, state: 'failed' | 'retrying' = 'failed') => {
    const some = [failure(1, { code, retryable })];
    const { groups } = await groupsOf({ failed: [], retrying: [], [state]: some }, NOW);
    return [groups[0]?.helps, groups[0]?.filter.state];
  };
  expect(await of('timeout', false)).toEqual(['retry', 'FAILED']);
  expect(await of('validation_error', true)).toEqual(['correct', 'FAILED']);
  expect(await of('own', true)).toEqual(['retry', 'FAILED']);
  expect(await of('own', false)).toEqual(['correct', 'FAILED']);
  expect(await of('timeout', true, 'retrying')).toEqual(['waits', 'QUEUED']);
});

test('the latest come first, and no more than 500', async () => {
  const word = (n: number) => String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26));
  const failed = Array.from({ length: 600 }, (_, n) => failure(n, { message: `Wrong ${word(n)}` }));
  const { groups, truncated } = await groupsOf({ failed, retrying: [] }, NOW);
  expect([groups.length, truncated]).toEqual([500, true]);
  expect(groups[0]?.message).toBe('Wrong aa');
});
