import { describe, expect, test } from 'vitest';
import { peer } from '../test/line.ts';
import { type Lane, createGate } from './gate.ts';

/** Enters without waiting, and notes the order in which the gate opens. */
function crowd(slots: number) {
  const gate = createGate(slots, peer);
  const inside: string[] = [];
  const exits = new Map<string, () => void>();
  const settled: Promise<void>[] = [];
  return {
    gate,
    inside,
    come(name: string, lane: Lane, signal?: AbortSignal) {
      const entered = gate.enter(signal, lane).then(
        (leave) => {
          inside.push(name);
          exits.set(name, leave);
        },
        (error: { code: string }) => {
          inside.push(`${name}: ${error.code}`);
        },
      );
      settled.push(entered);
    },
    leave: (name: string) => exits.get(name)?.(),
    /** All promises that are settled by now have had their turn. */
    calm: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

describe('the gate', () => {
  test('batch leaves a fifth of the slots, and one at least, to interactive calls', async () => {
    const { come, calm, inside, leave } = crowd(5);
    for (let n = 1; n <= 6; n++) come(`b${n}`, 'batch');
    await calm();
    expect(inside).toEqual(['b1', 'b2', 'b3', 'b4']);
    come('i1', 'interactive');
    await calm();
    expect(inside.at(-1)).toBe('i1');
    leave('i1');
    leave('i1'); // twice is once
    await calm();
    expect(inside).toHaveLength(5);
    leave('b1');
    await calm();
    expect(inside.at(-1)).toBe('b5');
  });

  test('interactive goes first, and every fifth start is batch', async () => {
    const { come, calm, inside, leave } = crowd(1);
    come('b0', 'batch');
    for (let n = 1; n <= 2; n++) come(`b${n}`, 'batch');
    for (let n = 1; n <= 6; n++) come(`i${n}`, 'interactive');
    for (let n = 0; n < 9; n++) {
      await calm();
      leave(inside.at(-1) ?? '');
    }
    expect(inside).toEqual(['b0', 'i1', 'i2', 'i3', 'i4', 'b1', 'i5', 'i6', 'b2']);
  });

  test('who is called off leaves the queue; who was inside already is not touched', async () => {
    const { come, calm, inside, leave } = crowd(1);
    const first = new AbortController();
    const second = new AbortController();
    come('a', 'batch', first.signal);
    come('b', 'batch', second.signal);
    come('c', 'batch');
    await calm();
    first.abort();
    second.abort();
    leave('a');
    await calm();
    expect(inside).toEqual(['a', 'b: canceled', 'c']);
    come('d', 'batch', first.signal);
    await calm();
    expect(inside.at(-1)).toBe('d: canceled');
  });

  test('a closed gate turns everyone away', async () => {
    const { gate, come, calm, inside } = crowd(1);
    come('a', 'batch');
    come('b', 'interactive');
    gate.close();
    come('c', 'batch');
    await calm();
    expect(inside).toEqual(['a', 'b: closed', 'c: closed']);
  });
});
