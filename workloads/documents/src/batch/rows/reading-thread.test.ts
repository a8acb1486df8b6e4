import { expect, test } from 'vitest';
import { createSlots } from './reading-thread.ts';

/** Eight slow uploads of one member held all threads, and nobody else's was read. */
test('one caller has half of the threads at the most, and others do not wait behind the rest of theirs', async () => {
  const slots = createSlots(4);
  const entered: string[] = [];
  const enter = (by: string, name: string) =>
    slots.enter(by).then(() => {
      entered.push(name);
    });
  const [, , third] = [1, 2, 3, 4].map((n) => enter('mallory', `mallory ${n}`));
  await enter('ada', 'ada 1');
  await enter('bob', 'bob 1');
  expect(entered).toEqual(['mallory 1', 'mallory 2', 'ada 1', 'bob 1']);

  // All are taken: whoever waits enters when somebody leaves, in turn, but for those who have their share.
  const cleo = enter('cleo', 'cleo 1');
  slots.leave('bob');
  await cleo;
  expect(entered.at(-1)).toBe('cleo 1');
  slots.leave('mallory');
  await third;
  expect(entered.at(-1)).toBe('mallory 3');
});

test('the process itself has no share', async () => {
  const slots = createSlots(2);
  await slots.enter();
  await slots.enter();
  const third = slots.enter();
  slots.leave();
  await third;
});
