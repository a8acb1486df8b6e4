import { contracts } from '@millrace/api';
import { type Schedule, createRegistry, defineJob, dependantsOf, done } from '@millrace/engine';
import { createMemoryDatabase } from '@millrace/store-memory';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hello, internal } from '../../test/kinds.ts';
import { asMain } from '../../test/service.ts';
import type { Call } from '../http/handler.ts';
import { kindHandlers } from './kinds.ts';

const NOW = Date.parse('2026-01-31T09:30:00Z');
const report = defineJob({
  kind: 'report.monthly',
  input: z.object({ month: z.string() }),
  public: true,
  run: async () => done(),
});

function start(declared: readonly Schedule[] = []) {
  const registry = createRegistry([report, internal, hello]);
  const database = createMemoryDatabase({ now: () => NOW, name: 'mem' });
  const store = asMain(database.open({ dependants: dependantsOf(registry, []) }));
  const { listKinds, listSchedules, pauseKind, resumeKind } = kindHandlers({
    store,
    registry,
    schedules: () => declared,
    config: { jobsFolder: '/srv/jobs', production: false },
  });
  return {
    store,
    pause: (kind: string) => pauseKind(call({}, { kind })),
    resume: (kind: string) => resumeKind(call({}, { kind })),
    list: async () => (await listSchedules(call({}))).body.schedules,
    kinds: async (query: z.input<typeof contracts.listKinds.query> = {}) => {
      const { body } = await listKinds(call(contracts.listKinds.query.parse(query)));
      return { names: body.kinds.map(({ name }) => name), next: body.next ?? null };
    },
    schedules: async (query: z.input<typeof contracts.listSchedules.query> = {}) => {
      const { body } = await listSchedules(call(contracts.listSchedules.query.parse(query)));
      return { names: body.schedules.map(({ name }) => name), next: body.next ?? null };
    },
  };
}

function call<Query, Params = undefined>(
  query: Query,
  params?: Params,
): Call & { readonly query: Query; readonly params: Params } {
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  return {
    query: query as never,
    params: params as never,
    body: undefined,
    caller: null,
    upload: null,
    headers: {},
    signal: new AbortController().signal,
    correlationId: 'c',
    log,
  };
}

test('kinds come by name, whatever order they were loaded in', async () => {
  const { kinds } = start();
  expect(await kinds()).toEqual({ names: ['hello', 'internal', 'report.monthly'], next: null });
});

test('kinds are filtered by whether they are public', async () => {
  const { kinds } = start();
  expect((await kinds({ public: 'true' })).names).toEqual(['hello', 'report.monthly']);
  expect((await kinds({ public: 'false' })).names).toEqual(['internal']);
});

test('kinds are filtered by whether they are paused', async () => {
  const { kinds, store } = start();
  await store.control.pause({ kind: 'hello', by: 'ada@example.com' });
  expect((await kinds({ paused: 'true' })).names).toEqual(['hello']);
  expect((await kinds({ paused: 'false', public: 'true' })).names).toEqual(['report.monthly']);
});

test('a kind that only another process knows can be paused, and resumed when that process is gone', async () => {
  const { store, pause, resume } = start();
  await expect(pause('embedded')).rejects.toThrow('Unknown kind "embedded".');
  const app = { worker: 'app', kinds: ['embedded'], stats: '{}' };
  await store.control.reportWorker(app);
  await pause('embedded');
  expect(await store.control.paused()).toMatchObject([{ kind: 'embedded' }]);
  await store.control.reportWorker({ ...app, kinds: [] });
  await resume('embedded');
  expect(await store.control.paused()).toEqual([]);
  await expect(resume('embedded')).rejects.toThrow('Unknown kind "embedded".');
});

test('kinds come in pages', async () => {
  const { kinds } = start();
  const { names, next } = await kinds({ limit: 2 });
  expect(names).toEqual(['hello', 'internal']);
  expect(await kinds({ limit: 2, cursor: next ?? '' })).toEqual({
    names: ['report.monthly'],
    next: null,
  });
});

test('schedules come by name, of one kind where that is asked for, in pages', async () => {
  const { schedules, store } = start();
  const at = { cron: '0 6 1 * *', timeZone: 'UTC' };
  await store.schedules.sync({
    schedules: [
      { name: 'monthly', kind: 'report.monthly', ...at },
      { name: 'greeting', kind: 'hello', ...at },
      { name: 'again', kind: 'report.monthly', ...at },
    ],
  });
  expect((await schedules()).names).toEqual(['again', 'greeting', 'monthly']);
  expect((await schedules({ kind: 'report.monthly' })).names).toEqual(['again', 'monthly']);
  const { next } = await schedules({ kind: 'report.monthly', limit: 1 });
  expect(await schedules({ kind: 'report.monthly', limit: 1, cursor: next ?? '' })).toEqual({
    names: ['monthly'],
    next: null,
  });
});

test('schedules are shown in words, with their next five ticks and what becomes of missed ones', async () => {
  const declared = {
    name: 'monthly',
    cron: '0 6 1 * *',
    timeZone: 'Europe/Berlin',
    job: { kind: 'report.monthly', data: {} },
    missed: 'all',
  } as const;
  const { list, store } = start([declared]);
  const other = { name: 'gone', kind: 'hello', cron: '*/5 * * * *', timeZone: 'UTC' };
  const { name, cron, timeZone } = declared;
  await store.schedules.sync({
    schedules: [{ name, cron, timeZone, kind: 'report.monthly' }, other],
  });
  const [gone, monthly] = await list();
  expect(monthly).toMatchObject({
    words: 'At 06:00, on day 1 of the month, in Europe/Berlin',
    missed: 'all',
    overlap: 'skip',
    declared: true,
  });
  expect(monthly?.next).toHaveLength(5);
  expect(monthly?.next?.[0]).toBe(monthly?.nextTick);
  const hours = monthly?.next?.map((tick) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', day: 'numeric' }).format(
      new Date(tick),
    ),
  );
  expect(new Set(hours)).toEqual(new Set(['1, 06']));
  expect(monthly?.next?.toSorted()).toEqual(monthly?.next);
  expect(new Set(monthly?.next).size).toBe(5);
  expect(gone).toMatchObject({
    words: 'Every 5 minutes, in UTC',
    next: [],
    nextTick: null,
    missed: null,
    overlap: null,
  });
});
