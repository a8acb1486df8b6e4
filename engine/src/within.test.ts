import { expect, test } from 'vitest';
import { createWorld, never, work } from '../test/world.ts';
import type { Scope } from './scope.ts';
import { within } from './within.ts';

const acme: Scope = { tenants: ['acme'], tenant: 'acme', owner: null };

/** A store that notes which jobs were read whole, with one job of alice's in acme. */
async function readStore() {
  const { store, enqueue } = createWorld({ kinds: [work(never)] });
  const id = await enqueue({ tenant: 'acme', submitter: 'alice' });
  const read: string[] = [];
  const noted = {
    ...store,
    enqueueIn: () => Promise.reject(new Error('nothing is enqueued by asking')),
    get: (params: { id: string }) => {
      read.push(params.id);
      return store.get(params);
    },
    inspect: (params: { id: string }) => {
      read.push(params.id);
      return store.inspect(params);
    },
  };
  return { noted, id, read };
}

test.each<[string, Scope]>([
  ['tenant', { ...acme, tenants: ['bolt'] }],
  ['member of the tenant', { ...acme, owner: 'bob' }],
])(
  'a job of another %s is not read: its size would show in the time of an answer',
  async (_, scope) => {
    const { noted, id, read } = await readStore();
    let denied = 0;
    const accessTrace = { touched: () => undefined, denied: () => (denied += 1) };
    const seen = within(noted, { ...scope, accessTrace });
    expect(await seen.get({ id })).toBeNull();
    expect(await seen.inspect({ id })).toBeNull();
    expect({ read, denied }).toEqual({ read: [], denied: 2 });
  },
);

test.each<[string, Scope]>([
  ['operators of its tenant', acme],
  ['the member who submitted it', { ...acme, owner: 'alice' }],
  ['those who may cross tenants', { ...acme, tenants: 'all' }],
])('%s read a job whole', async (_, scope) => {
  const { noted, id, read } = await readStore();
  const seen = within(noted, scope);
  expect(await seen.get({ id })).toMatchObject({ id });
  expect(await seen.inspect({ id })).toMatchObject({ job: { id } });
  expect(read).toEqual([id, id]);
});
