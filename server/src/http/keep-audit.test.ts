import { expect, test } from 'vitest';
import { keepAudit } from './keep-audit.ts';

test('every five minutes what is older is forgotten, stretch after stretch', async () => {
  const timers: { ms: number; fire: () => void }[] = [];
  const clock = {
    now: () => 0,
    after(ms: number, fire: () => void) {
      const timer = { ms, fire };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const next = async (): Promise<number | undefined> => {
    timers.shift()?.fire();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    return timers[0]?.ms;
  };
  const asked: object[] = [];
  const said: unknown[] = [];
  let left = 2;
  const stop = keepAudit({
    audit: {
      prune(params) {
        asked.push(params);
        left -= 1;
        const count = left >= 0 ? 2_000 : 0;
        return Promise.resolve({ count, more: left > 0 });
      },
    },
    keepMs: 1_000,
    clock,
    log: {
      info: (fields) => void said.push(fields),
      warn() {},
      error() {},
    },
  });
  expect(timers[0]?.ms).toBe(300_000);
  expect([await next(), await next(), await next()]).toEqual([0, 300_000, 300_000]);
  expect(asked).toEqual([{ keepMs: 1_000 }, { keepMs: 1_000 }, { keepMs: 1_000 }]);
  expect(said).toEqual([{ count: 2_000 }, { count: 2_000 }]);
  await stop();
  expect(timers).toEqual([]);
});
