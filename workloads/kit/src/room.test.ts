import { expect, test } from 'vitest';
import { createRoom } from './room.ts';

const room = () => createRoom({ all: 6, ofCaller: 4 });

test('a caller has their share, and what is left is for others', () => {
  const { enter } = room();
  const [first, second] = [enter('ada'), enter('ada')];
  expect([first.take(3), second.take(2), second.take(1), second.take(1)]).toEqual([
    null,
    'caller',
    null,
    'caller',
  ]);
  const other = enter('bob');
  expect([other.take(2), other.take(1)]).toEqual([null, 'all']);
});

test('who leaves makes room once, and takes none afterwards', () => {
  const { enter } = room();
  const left = enter('ada');
  left.take(4);
  left.leave();
  left.leave();
  expect(left.take(1)).toBe('all');
  const next = enter('ada');
  expect([next.take(4), next.take(1), enter('bob').take(3)]).toEqual([null, 'caller', 'all']);
});
