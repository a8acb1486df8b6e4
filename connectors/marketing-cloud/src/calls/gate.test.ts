import { describe, expect, test } from 'vitest';
import { json } from '../../../test/scripted.ts';
import { connect, openCloud } from '../../test/cloud.ts';
import { createGate } from './gate.ts';

/** Comes without waiting, and notes the order in which the gate opens. */
function crowd(slots: number) {
  const gate = createGate(slots);
  const inside: string[] = [];
  const exits = new Map<string, () => void>();
  return {
    gate,
    inside,
    come(name: string, signal?: AbortSignal) {
      void gate.enter(signal).then(
        (leave) => {
          inside.push(name);
          exits.set(name, leave);
        },
        (error: { code: string }) => inside.push(`${name}: ${error.code}`),
      );
    },
    leave: (name: string) => exits.get(name)?.(),
    /** All promises that are settled by now have had their turn. */
    calm: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe('the gate', () => {
  test('lets so many in, in the order in which they came', async () => {
    const { come, leave, calm, inside } = crowd(2);
    for (const name of ['a', 'b', 'c', 'd']) come(name);
    await calm();
    expect(inside).toEqual(['a', 'b']);
    leave('b');
    leave('b'); // twice is once
    await calm();
    expect(inside).toEqual(['a', 'b', 'c']);
    leave('a');
    await calm();
    expect(inside.at(-1)).toBe('d');
  });

  test('who is called off leaves the queue; who was inside already is not touched', async () => {
    const { come, leave, calm, inside } = crowd(1);
    const first = new AbortController();
    const second = new AbortController();
    come('a', first.signal);
    come('b', second.signal);
    come('c');
    await calm();
    first.abort();
    second.abort();
    leave('a');
    await calm();
    expect(inside).toEqual(['a', 'b: canceled', 'c']);
    come('d', first.signal);
    await calm();
    expect(inside.at(-1)).toBe('d: canceled');
  });

  test('that is closed turns everyone away', async () => {
    const { gate, come, calm, inside } = crowd(1);
    come('a');
    come('b');
    gate.close();
    come('c');
    await calm();
    expect(inside.toSorted()).toEqual(['a', 'b: closed', 'c: closed']);
  });
});

test('no more requests than configured are under way', async () => {
  const cloud = await openCloud();
  const waiting: (() => void)[] = [];
  let most = 0;
  const reached = new Promise<void>((resolve) => {
    cloud.otherwise((exchange) => {
      waiting.push(() => void json(200, { isRunning: true })(exchange));
      most = Math.max(most, waiting.length);
      if (cloud.seen.length === 3) resolve();
      if (cloud.seen.length > 3) waiting.shift()?.();
    });
  });
  const { unit } = connect(cloud, { concurrency: 3 });
  const all = Promise.all(Array.from({ length: 12 }, () => unit.isRunning('q')));
  await reached;
  for (const answer of waiting.splice(0)) answer();
  await all;
  expect([most, cloud.seen.length]).toEqual([3, 12]);
});
