import { defineJob, done } from '@millrace/engine';
import { createMemoryStore } from '@millrace/store-memory';
import { type Opened, type Workload, EVERYTHING, ok } from '@millrace/workload-kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createClosing } from '../closing.ts';
import { noTelemetry } from '../telemetry/telemetry.ts';
import { declareWorkloads } from './declare.ts';
import { NO_WORKLOADS, openWorkloads } from './open.ts';

interface Letters {
  write(to: string): string;
}

const letter = defineJob({
  kind: 'letter',
  input: z.object({ to: z.string() }),
  run: async ({ data }, _context, service: Letters) => done(service.write(data.to)),
});

const ROUTE = {
  method: 'GET',
  path: '/letters',
  summary: 'All letters.',
  access: 'viewer',
  response: z.object({ tenant: z.string() }),
  statuses: [200],
  example: { response: { tenant: '' } },
} as const;

/** A workload of one kind and one route, with what a test changes. */
function letters(
  changes: Partial<Workload> = {},
  opened: Partial<Opened> = {},
): Workload & { readonly closed: string[] } {
  const closed: string[] = [];
  return {
    closed,
    name: 'letters',
    settings: { switch: 'MILLRACE_LETTERS', variables: {}, read: () => ({}) },
    contract: {
      routes: { listLetters: ROUTE },
      groups: [],
      schemas: { asked: {}, given: {} },
      errors: {},
      failures: {},
      metrics: {},
    },
    declare: () => ({ kinds: [{ kind: letter, needs: ['chunks'] }] }),
    open: async () => ({
      service: { write: (to: string) => `Dear ${to}` },
      handlers: ({ tenant }) => ({ listLetters: async () => ok({ tenant }) }),
      close: async () => void closed.push('letters'),
      ...opened,
    }),
    ...changes,
  };
}

const ON = new Map<string, unknown>([['letters', {}]]);
const NO_ORGS = { orgs: [] };

async function open(workload: Workload, closing = createClosing()) {
  const { active } = await declareWorkloads([workload], ON, NO_ORGS);
  const host = { telemetry: noTelemetry } as unknown as Parameters<typeof openWorkloads>[1];
  return openWorkloads(active, host, closing);
}

test('a workload that is switched off declares nothing', async () => {
  const { active, kinds } = await declareWorkloads([letters()], new Map(), NO_ORGS);
  expect([active, kinds]).toEqual([[], []]);
});

test('a kind whose store lacks what it needs is refused before anything runs', async () => {
  const { check } = await declareWorkloads([letters()], ON, NO_ORGS);
  const store = createMemoryStore({ now: () => 0 });
  check(store, new Map());
  const { chunks: _, ...lacking } = store;
  expect(() => check(lacking, new Map())).toThrow(
    'The kind "letter" needs chunks, which the store "mem" does not support',
  );
});

test('a kind that wants Redis is held against Redis where there is one', async () => {
  const wanting = letters({
    declare: () => ({ kinds: [{ kind: letter, redis: true, needs: ['chunks'] }] }),
  });
  const { kinds, wantRedis, check } = await declareWorkloads([wanting], ON, NO_ORGS);
  expect([kinds, wantRedis]).toEqual([[letter], ['letter']]);
  const store = createMemoryStore({ now: () => 0 });
  const { chunks: _, ...lacking } = store;
  check(store, new Map());
  expect(() => check(store, new Map(), { ...lacking, name: 'bull' })).toThrow(
    'The kind "letter" needs chunks, which the store "bull" does not support',
  );
});

test('a kind of an org needs the org', async () => {
  const ofOrg = letters({ declare: () => ({ kinds: [{ kind: letter, org: 'acme' }] }) });
  const { kinds, kindsOf, check } = await declareWorkloads([ofOrg], ON, NO_ORGS);
  expect([kinds, kindsOf('acme')]).toEqual([[], [letter]]);
  const store = createMemoryStore({ now: () => 0 });
  expect(() => check(store, new Map())).toThrow('which is not configured');
  expect(() => check(store, new Map([['acme', store]]))).not.toThrow();
});

test('its kinds are given its service, its routes the scope of their caller', async () => {
  const { services, handler, routes } = await open(letters());
  expect((services.get('letter') as Letters).write('Ada')).toBe('Dear Ada');
  expect([...routes]).toEqual(['listLetters']);
  const scope = { ...EVERYTHING, tenant: 'acme' };
  const answer = await handler('listLetters', scope)?.({} as never);
  expect(answer).toEqual({ status: 200, body: { tenant: 'acme' } });
  expect(handler('listJobs', scope)).toBeUndefined();
});

test('what it throws is reported in its words, and what it keeps about someone is erased and counted', async () => {
  const opened = await open(
    letters(
      {},
      {
        toProblem: (thrown) =>
          thrown === 'lost' ? { code: 'conflict', detail: 'The letter is lost.' } : null,
        erase: async (subject) => ({ letters: subject.length }),
      },
    ),
  );
  expect(opened.toProblem('lost')).toMatchObject({ code: 'conflict' });
  expect(opened.toProblem('found')).toBeNull();
  expect(await opened.erase('Ada')).toEqual({ letters: 3 });
  expect(await NO_WORKLOADS.erase('Ada')).toEqual({});
});

test('it is closed, and its chores with it', async () => {
  const closing = createClosing();
  const workload = letters();
  await open(workload, closing);
  await closing.close();
  expect(workload.closed).toEqual(['letters']);
});

test('what it has loaded is given to declare and open, and its schedules are those of now', async () => {
  let crons = ['0 6 * * *'];
  const seen: unknown[] = [];
  const workload = letters({
    load: async () => 'files',
    declare: (_config, _around, loaded) => {
      seen.push(loaded);
      return {
        kinds: [{ kind: letter }],
        books: [{ name: 'book', parents: ['letter'], children: ['letter'], follow: () => [] }],
        schedules: () =>
          crons.map((cron) => ({ name: cron, cron, job: { kind: 'letter', data: { to: 'Ada' } } })),
      };
    },
    open: async (_host, _config, loaded) => {
      seen.push(loaded);
      return { service: null, handlers: () => ({}), close: async () => {} };
    },
  });
  const { active, books, schedules } = await declareWorkloads([workload], ON, NO_ORGS);
  await openWorkloads(active, { telemetry: noTelemetry } as never, createClosing());
  expect(seen).toEqual(['files', 'files']);
  expect(books.map(({ name }) => name)).toEqual(['book']);
  expect(schedules().map(({ cron }) => cron)).toEqual(crons);
  crons = ['0 7 * * *', '0 8 * * *'];
  expect(schedules().map(({ cron }) => cron)).toEqual(crons);
});

test('a workload is given the steps of all, also of those that are opened after it', async () => {
  const given: ((name: string) => unknown)[] = [];
  const step = { input: z.object({}) };
  const first = letters({
    name: 'pipelines',
    open: async ({ steps }) => {
      given.push(steps);
      return { service: null, handlers: () => ({}), close: async () => {} };
    },
  });
  const second = letters({}, { steps: { letter: step as never } });
  const on = new Map<string, unknown>([
    ['letters', {}],
    ['pipelines', {}],
  ]);
  const { active } = await declareWorkloads([first, second], on, NO_ORGS);
  await openWorkloads(active, { telemetry: noTelemetry } as never, createClosing());
  expect(given[0]?.('letter')).toBe(step);
  expect(given[0]?.('parcel')).toBeUndefined();
});
