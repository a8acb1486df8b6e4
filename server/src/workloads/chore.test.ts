import { expect, test } from 'vitest';
import { runChore } from './chore.ts';

/** A clock whose timers the test fires by hand. */
function handClock() {
  const timers: { ms: number; fire: () => void }[] = [];
  return {
    timers,
    clock: {
      now: () => 0,
      after(ms: number, fire: () => void) {
        const timer = { ms, fire };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    async next(): Promise<number> {
      const timer = timers.shift();
      timer?.fire();
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      return timer?.ms ?? -1;
    },
  };
}

test('a chore runs in its time, at once while there is more, and again after it has failed', async () => {
  const { clock, timers, next } = handClock();
  const answers = [{ more: true }, new Error('no database'), { more: false }];
  const warned: string[] = [];
  const log = { info() {}, error() {}, warn: (_: object, text: string) => warned.push(text) };
  const chore = {
    name: 'sweep',
    everyMs: 300,
    async runOnce() {
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
  };
  const stop = runChore(chore, { clock, log });
  expect([await next(), await next(), await next()]).toEqual([300, 0, 300]);
  expect(warned).toEqual(['a chore of a workload failed']);
  expect(timers.map(({ ms }) => ms)).toEqual([300]);
  stop();
  expect(timers).toEqual([]);
});
