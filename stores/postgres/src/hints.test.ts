import { PGlite } from '@electric-sql/pglite';
import type { Announcement, Hint } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openPglite } from './pglite.ts';
import { createStore } from './store.ts';

let pglite: PGlite;
let database: Database;
beforeAll(async () => {
  pglite = await PGlite.create();
  database = openPglite(pglite);
  await migrate(database);
});
afterAll(() => pglite.close());

it('says that it notifies when its own message comes back', async () => {
  const store = await createStore({ database, name: 'pg', dependants: () => [] });
  expect(store.can.notify).toBe(true);
});

/** Behind a pooler, which swallows LISTEN without a word. */
function pooled(): { behind: Database; unlistened: () => boolean } {
  let unlistened = false;
  const behind: Database = {
    ...database,
    listen: () =>
      Promise.resolve(() => {
        unlistened = true;
        return Promise.resolve();
      }),
  };
  return { behind, unlistened: () => unlistened };
}

it('says that it does not behind a pooler, which swallows LISTEN, and works all the same', async () => {
  const { behind, unlistened } = pooled();
  const store = await createStore({ database: behind, name: 'pg', dependants: () => [] });
  expect(store.can.notify).toBe(false);
  expect(unlistened()).toBe(true);
  await store.enqueue({ jobs: [newJob()] });
  const claimed = await store.claim({
    worker: 'w',
    claimId: '1',
    wants: [{ kind: newJob().kind, limit: 10 }],
    limit: 10,
    leaseMs: 60_000,
  });
  expect(claimed.jobs).toHaveLength(1);
});

it('tells one hint per batch, and looks for itself after a gap', async () => {
  let gap: () => void = () => {};
  const watched: Database = {
    ...database,
    listen(channel, onMessage, onGap) {
      gap = onGap;
      return database.listen(channel, onMessage, onGap);
    },
  };
  const store = await createStore({ database: watched, name: 'pg', dependants: () => [] });
  const hints: Hint[] = [];
  store.watch((hint) => hints.push(hint));
  const [one, other] = [newJob({ kind: 'one' }), newJob({ kind: 'other' })];
  await store.enqueue({ jobs: [one, other, one, other] });
  expect(hints).toEqual([{ type: 'ready', kinds: ['one', 'other'] }]);
  gap();
  expect(hints.at(-1)).toEqual({ type: 'control' });
});

it('behind a pooler tells its own process, in order, and the others past the pooler', async () => {
  const { behind } = pooled();
  const store = await createStore({ database: behind, name: 'pg', dependants: () => [] });
  const other = await createStore({ database, name: 'pg', dependants: () => [] });
  const [here, there]: [Hint[], Hint[]] = [[], []];
  const stop = store.watch((hint) => here.push(hint));
  other.watch((hint) => there.push(hint));
  const told: Announcement[] = [
    { type: 'interest' },
    { type: 'changed', mark: 'a', jobs: ['pg-1'], more: false },
    { type: 'changed', mark: 'b', jobs: Array.from({ length: 9_000 }, String), more: false },
  ];
  for (const hint of told) await store.announce({ hint });
  const heard = [...told.slice(0, 2), { type: 'changed', mark: 'b', jobs: [], more: true }];
  expect([here, there]).toEqual([heard, heard]);
  stop();
  await store.announce({ hint: { type: 'interest' } });
  expect(here).toEqual(heard);
});
