import { expect, test } from 'vitest';
import { cronInWords } from '../kinds.ts';

test.each([
  ['0 6 1 * *', 'At 06:00, on day 1 of the month, in UTC'],
  ['*/15 * * * *', 'Every 15 minutes, in UTC'],
  ['30 14 * * 1-5', 'At 14:30, Monday through Friday, in UTC'],
  ['0 0 L * *', 'At 00:00, on the last day of the month, in UTC'],
  ['0 9 * * 1#2', 'At 09:00, on the second Monday of the month, in UTC'],
  ['*/10 * * * * *', 'Every 10 seconds, in UTC'],
])('%s: %s', (cron, words) => expect(cronInWords(cron, 'UTC')).toBe(words));

test('has no words for what it cannot read', () => {
  expect(cronInWords('0 6 99 * *', 'UTC')).toBeNull();
});
