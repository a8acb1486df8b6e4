import { createMemoryStore } from '@millrace/store-memory';
import { expect, test } from 'vitest';
import { createLine, createMemoryAudit } from '../../test/service.ts';
import { traceAnnouncements, traceAudit, traceStore } from './store.ts';
import type { Call } from './traces/trace-calls.ts';

function calls(): { asked: string[]; call: Call } {
  const asked: string[] = [];
  return {
    asked,
    call(what, run) {
      asked.push(`${what.dependency} ${what.operation}`);
      return run();
    },
  };
}

function counted() {
  const { asked, call } = calls();
  const store = createMemoryStore({ now: () => 5 });
  return { asked, store, traced: traceStore(store, { call }) };
}

test('every verb of the store is there, and a call', () => {
  const { store, traced } = counted();
  expect(Object.keys(traced).toSorted()).toEqual(Object.keys(store).toSorted());
  const same = ['name', 'keeps'] as const;
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

test('the verbs of a part are calls under its name', async () => {
  const { asked, store, traced } = counted();
  for (const part of ['chunks', 'followers', 'schedules', 'control', 'upkeep'] as const)
    expect(Object.keys(traced[part]), part).toEqual(Object.keys(store[part]));
  await traced.control.pause({ kind: 'k', by: null });
  expect(await traced.control.paused()).toMatchObject([{ kind: 'k' }]);
  await traced.upkeep.maintain();
  expect(asked).toEqual(['store control.pause', 'store control.paused', 'store upkeep.maintain']);
});

test('a part that a store lacks is lacking here too', () => {
  const { upkeep: _, ...without } = createMemoryStore({ now: () => 5 });
  const call = <T>(_what: unknown, run: () => Promise<T>) => run();
  const traced = traceStore(without, { call });
  expect('upkeep' in traced).toBe(false);
  expect('enqueueIn' in traced).toBe(false);
});

test('joining a transaction is a call, with both of its parameters', async () => {
  const given: unknown[] = [];
  const store = {
    ...createMemoryStore({ now: () => 5 }),
    async enqueueIn(...params: unknown[]) {
      given.push(...params);
      return [];
    },
  };
  const { asked, call } = calls();
  await traceStore(store, { call }).enqueueIn('transaction', { jobs: [] });
  expect(given).toEqual(['transaction', { jobs: [] }]);
  expect(asked).toEqual(['store enqueueIn']);
});

test('the audit log and announcements are calls of the store', async () => {
  const { asked, call } = calls();
  const audit = traceAudit(createMemoryAudit(Date.now), { call });
  const about = { target: null, filter: null, correlationId: 'c', tenants: null };
  const entry = { actor: 'a', subject: 's', action: 'b', ...about };
  await audit.end({
    id: await audit.begin({ entry }),
    end: { outcome: 'done', count: 1 },
  });
  expect((await audit.list({ filter: {}, limit: 9 })).entries).toMatchObject([
    { actor: 'a', outcome: 'done' },
  ]);
  const announcements = traceAnnouncements(createLine().open(), { call });
  const heard = new Promise((resolve) => announcements.listen(resolve));
  await announcements.announce({ announcement: { type: 'interest' } });
  expect(await heard).toEqual({ type: 'interest' });
  expect(announcements.arrive()).toBe(true);
  expect(asked).toEqual([
    'store audit.begin',
    'store audit.end',
    'store audit.list',
    'store announcements.announce',
  ]);
});
