import { expect, test } from 'vitest';
import { sourceCheck } from './health.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };

test('a source that does not answer is degraded, and is asked again after a while', async () => {
  let now = 0;
  let asked = 0;
  let isAway = true;
  const check = sourceCheck(
    {
      async check() {
        asked += 1;
        if (isAway) throw new Error('connect ECONNREFUSED 10.1.2.3:5432');
      },
    },
    () => now,
  );
  const { status, detail } = await check.run(log);
  expect(status).toBe('degraded');
  expect(detail).not.toContain('10.1.2.3');
  isAway = false;
  // Health is asked often, and the database is not.
  expect((await check.run(log)).status).toBe('degraded');
  expect(asked).toBe(1);
  now += 10_000;
  expect(await check.run(log)).toEqual({ status: 'ok' });
  expect(asked).toBe(2);
});
