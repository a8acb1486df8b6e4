import { describe, expect, test } from 'vitest';
import { createLanes } from './lanes.ts';

function filled(slots: number, interactive: number, batch: number) {
  const lanes = createLanes<string>(slots);
  for (let n = 1; n <= batch; n++) lanes.push('batch', `b${n}`);
  for (let n = 1; n <= interactive; n++) lanes.push('interactive', `i${n}`);
  return lanes;
}

describe('lanes', () => {
  test('interactive work goes first, in order', () => {
    const lanes = filled(1, 2, 2);
    const order = [1, 2, 3, 4, 5].map(() => lanes.next(0));
    expect(order).toEqual(['i1', 'i2', 'b1', 'b2', null]);
  });

  test('batch gets every fifth start however much interactive work there is', () => {
    const lanes = filled(1, 20, 3);
    const order = Array.from({ length: 15 }, () => lanes.next(0));
    expect(order.flatMap((job, index) => (job?.startsWith('b') === true ? [index] : []))).toEqual([
      4, 9, 14,
    ]);
  });

  test('batch never takes the last slot', () => {
    const lanes = filled(3, 0, 5);
    expect([lanes.next(0), lanes.next(1), lanes.next(2)]).toEqual(['b1', 'b2', null]);
    lanes.push('interactive', 'i1');
    expect(lanes.next(2)).toBe('i1');
  });

  test('turns are counted only while batch waits', () => {
    const lanes = filled(1, 10, 0);
    for (let n = 0; n < 8; n++) lanes.next(0);
    lanes.push('batch', 'b1');
    expect(lanes.next(0)).toBe('i9');
  });

  test('what is removed is not started, and draining empties both', () => {
    const lanes = filled(1, 2, 2);
    expect(lanes.remove('i1')).toBe(true);
    expect(lanes.remove('i1')).toBe(false);
    expect(lanes.next(0)).toBe('i2');
    expect([lanes.waiting('interactive'), lanes.waiting('batch')]).toEqual([0, 2]);
    expect(lanes.drain()).toEqual(['b1', 'b2']);
    expect(lanes.next(0)).toBeNull();
  });
});
