import { expect, test } from 'vitest';
import { createClock } from './index.ts';

test('alarms ring in their order, each at its own moment, also those that another one sets', () => {
  const clock = createClock(() => 1000);
  const rung: [string, number][] = [];
  const ring = (name: string) => rung.push([name, clock.now()]);
  clock.after(300, () => ring('late'));
  clock.after(100, () => {
    ring('first');
    clock.after(50, () => ring('follows'));
  });
  const take = clock.after(200, () => ring('taken back'));
  clock.after(120, () => take());
  clock.advance(250);
  expect(rung).toEqual([
    ['first', 1100],
    ['follows', 1150],
  ]);
  expect(clock.now()).toBe(1250);
  clock.advance(50);
  expect(rung.at(-1)).toEqual(['late', 1300]);
});

test('a clock of another speed', async () => {
  let real = 0;
  const clock = createClock(() => real, 60);
  real = 1000;
  expect(clock.now()).toBe(60_000);
  const rung = new Promise<number>((resolve) => clock.after(60, () => resolve(clock.now())));
  real = 1001;
  expect(await rung).toBe(60_060);
});
