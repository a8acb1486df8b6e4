import type { PGlite } from '@electric-sql/pglite';
import type { Hint } from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPgliteInMemory } from '../test/stores.ts';
import type { Database } from './database.ts';
import type { HintPauses } from './hints.ts';
import { migrate } from './migrate.ts';
import { openPglite } from './embedded/pglite.ts';
import type { Announcement } from './service.ts';
import { createStore } from './store.ts';

let pglite: PGlite;
let database: Database;
beforeAll(async () => {
  pglite = await openPgliteInMemory();
  database = openPglite(pglite);
  await migrate(database);
});
afterAll(() => pglite.close());

it('says that it notifies when its own message comes back', async () => {
  const store = await createStore({ database, name: 'pg', dependants: () => [] });
  expect(store.announcements.arrive()).toBe(true);
});

/** Nobody waits in a test: what is swallowed never comes, and what comes back is there with the answer to NOTIFY. */
const AT_ONCE: HintPauses = {
  firstTestMs: 1,
  testMs: 1,
  retryMs: { first: 1, most: 4 },
  checkMs: 1,
};
const SELDOM = { ...AT_ONCE, retryMs: { first: 3_600_000, most: 3_600_000 } };

/** Behind a pooler, which swallows LISTEN without a word, until it is taken away. */
function pooled(): {
  behind: Database;
  swallow: (isPooled: boolean) => void;
  open: () => number;
} {
  let isPooled = true;
  let open = 0;
  const behind: Database = {
    ...database,
    close: () => Promise.resolve(),
    async listen(channel, onMessage, onGap) {
      open += 1;
      const wasPooled = isPooled;
      const unlisten = await database.listen(
        channel,
        (message) => wasPooled || isPooled || onMessage(message),
        onGap,
      );
      return async () => {
        open -= 1;
        await unlisten();
      };
    },
  };
  return {
    behind,
    swallow: (value) => {
      isPooled = value;
    },
    open: () => open,
  };
}

/** Resolves with the answer when it is `wanted`. */
function answers(): { onNotify: (arrives: boolean) => void; is(wanted: boolean): Promise<void> } {
  let [latest, wanted]: [boolean | null, boolean | null] = [null, null];
  let come: () => void = () => {};
  return {
    onNotify(arrives) {
      latest = arrives;
      if (arrives === wanted) come();
    },
    is: (value) =>
      new Promise((resolve) => {
        [wanted, come] = [value, resolve];
        if (latest === value) resolve();
      }),
  };
}

it('says that it does not behind a pooler, which swallows LISTEN, and works all the same', async () => {
  const { behind, open } = pooled();
  const store = await createStore({
    database: behind,
    name: 'pg',
    dependants: () => [],
    pauses: SELDOM,
  });
  expect(store.announcements.arrive()).toBe(false);
  expect(open()).toBe(0);
  await store.enqueue({ jobs: [newJob()] });
  const claimed = await store.claim({
    worker: 'w',
    claim: 1,
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
  const store = await createStore({
    database: behind,
    name: 'pg',
    dependants: () => [],
    pauses: SELDOM,
  });
  const other = await createStore({ database, name: 'pg', dependants: () => [] });
  const [here, there]: [Announcement[], Announcement[]] = [[], []];
  const stop = store.announcements.listen((announcement) => here.push(announcement));
  other.announcements.listen((announcement) => there.push(announcement));
  const told: Announcement[] = [
    { type: 'interest' },
    { type: 'changed', jobs: ['pg-1'], more: false },
    { type: 'changed', jobs: Array.from({ length: 9_000 }, String), more: false },
  ];
  for (const announcement of told) await store.announcements.announce({ announcement });
  const heard = [...told.slice(0, 2), { type: 'changed', jobs: [], more: true }];
  expect([here, there]).toEqual([heard, heard]);
  stop();
  await store.announcements.announce({ announcement: { type: 'interest' } });
  expect(here).toEqual(heard);
});

it('tries again until it arrives, says so, and lets everyone look for what was missed', async () => {
  const { behind, swallow, open } = pooled();
  const { onNotify, is } = answers();
  const store = await createStore({
    database: behind,
    name: 'pg',
    dependants: () => [],
    onNotify,
    pauses: AT_ONCE,
  });
  await is(false);
  const heard: Hint[] = [];
  const looked = new Promise<void>((resolve) => {
    store.watch((hint) => {
      heard.push(hint);
      if (hint.type === 'control') resolve();
    });
  });
  swallow(false);
  await is(true);
  await looked;
  expect(store.announcements.arrive()).toBe(true);
  expect(open()).toBe(1);
  expect(heard).toContainEqual({ type: 'control' });
  const announced: Announcement[] = [];
  store.announcements.listen((announcement) => announced.push(announcement));
  await store.announcements.announce({ announcement: { type: 'interest' } });
  await notified();
  expect(announced).toEqual([{ type: 'interest' }]);
  await store.close();
  expect(open()).toBe(0);
});

it('notices when it stops to arrive, and when it starts again', async () => {
  const { behind, swallow, open } = pooled();
  const { onNotify, is } = answers();
  swallow(false);
  const store = await createStore({
    database: behind,
    name: 'pg',
    dependants: () => [],
    onNotify,
    pauses: AT_ONCE,
  });
  await is(true);
  swallow(true);
  await is(false);
  expect(store.announcements.arrive()).toBe(false);
  swallow(false);
  await is(true);
  expect(open()).toBe(1);
  await store.close();
});

/** Everything notified so far has been delivered. */
async function notified(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    pglite
      .listen('seen', () => resolve())
      .then(() => pglite.query(`SELECT pg_notify('seen', '')`))
      .catch(reject);
  });
}

it('closes with a database that is away already', async () => {
  const ended: string[] = [];
  const away: Database = {
    ...database,
    listen: async (...args) => {
      await database.listen(...args);
      return () => Promise.reject(new Error('away'));
    },
    close() {
      ended.push('database');
      return Promise.reject(new Error('away'));
    },
  };
  const store = await createStore({
    database: away,
    name: 'pg',
    dependants: () => [],
  });
  await expect(store.close()).rejects.toThrow('away');
  expect(ended).toEqual(['database']);
});
