import type { Store } from '@millrace/engine';
import { createMemoryStore } from '@millrace/store-memory';
import { expect, test } from 'vitest';
import { traceStore } from './store.ts';

function counted() {
  const asked: string[] = [];
  const store = createMemoryStore({ now: () => 5 });
  const traced = traceStore(store, {
    call(what, run) {
      asked.push(`${what.dependency} ${what.operation}`);
      return run();
    },
  });
  return { asked, store, traced };
}

test('every verb of the store is there, and a call', () => {
  const { store, traced } = counted();
  expect(Object.keys(traced).toSorted()).toEqual(Object.keys(store).toSorted());
  const same = ['name', 'can'] as const;
  for (const name of same) expect(traced[name]).toBe(store[name]);
});

test('it answers as the store does', async () => {
  const { asked, traced } = counted();
  expect(await traced.now()).toBe(5);
  expect(await traced.get({ id: 'mem-1' })).toBeNull();
  await expect(traced.list({ filter: {}, limit: 1, cursor: 'nonsense' })).rejects.toThrow();
  expect(asked).toEqual(['store now', 'store get', 'store list']);
});

test('watching and closing are no calls', async () => {
  const { asked, traced } = counted();
  traced.watch(() => {})();
  await traced.close();
  expect(asked).toEqual([]);
});

test('a store that has its housekeeping done elsewhere has none here either', () => {
  const { store } = counted();
  const { maintain: _, ...without } = store;
  const call = <T>(_what: unknown, run: () => Promise<T>) => run();
  expect('maintain' in traceStore(without as Store, { call })).toBe(false);
});
