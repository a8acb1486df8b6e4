import { type NewJob, type Store, StoreUnavailable } from '@millrace/engine';
import { createMemoryStore } from '@millrace/store-memory';
import { describe, expect, test } from 'vitest';
import { createAway } from './away.ts';
import { beside } from './beside.ts';
import { asMain } from '../../test/service.ts';
import { joinStores } from './joined.ts';

let now = Date.UTC(2026, 0, 1);

function world() {
  const main = asMain(createMemoryStore({ now: () => now, name: 'main' }));
  const org = createMemoryStore({ now: () => now, name: 'org' });
  const side = beside(org, main, () => now);
  return {
    main,
    org,
    side,
    joined: joinStores(main, [{ place: 'org', store: side, kinds: ['document.org'] }]),
  };
}

function job(kind: string, changes: Partial<NewJob> = {}): NewJob {
  return { kind, payload: '{}', maxAttempts: 3, tenant: '', priority: null, ...changes };
}

/** Each a second after the one before, in the store of its kind. */
async function add(joined: Store, ...kinds: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const kind of kinds) {
    now += 1_000;
    const [made] = await joined.enqueue({ jobs: [job(kind)] });
    ids.push(made?.id ?? '');
  }
  return ids;
}

function claim(store: Store, kind: string) {
  const wants = [{ kind, limit: 9 }];
  return store.claim({ worker: 'w', claim: now, wants, limit: 9, leaseMs: 60_000 });
}

async function pages(joined: Store, limit: number): Promise<string[][]> {
  const all: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null && all.length < 50;) {
    const page = await joined.list({ filter: {}, limit, ...(cursor !== '' && { cursor }) });
    all.push(page.jobs.map(({ id }) => id));
    cursor = page.next;
  }
  return all;
}

describe('several stores as one', () => {
  test('a job goes to the store of its kind, and its id leads back to it', async () => {
    const { joined, main, org } = world();
    const made = await joined.enqueue({ jobs: [job('a'), job('document.org'), job('b')] });
    expect(made.map(({ id }) => id)).toEqual(['main-1', 'org-1', 'main-2']);
    expect(await org.get({ id: 'org-1' })).toMatchObject({ kind: 'document.org' });
    expect(await main.get({ id: 'org-1' })).toBeNull();
    expect(await joined.get({ id: 'org-1' })).toMatchObject({ kind: 'document.org' });
    expect(await joined.get({ id: 'main-2' })).toMatchObject({ kind: 'b' });
    expect(await joined.get({ id: 'elsewhere-1' })).toBeNull();
    const found = await joined.summaries({ ids: ['org-1', 'main-1', 'elsewhere-1'] });
    expect(found.map(({ id }) => id)).toEqual(['main-1', 'org-1']);
  });

  test.each([1, 2, 3, 4, 7, 100])(
    'pages of %i are the newest first, none twice, none left out',
    async (limit) => {
      const { joined } = world();
      const kinds = [
        'a',
        'document.org',
        'document.org',
        'a',
        'a',
        'a',
        'document.org',
        'a',
        'document.org',
      ];
      const ids = await add(joined, ...kinds);
      const all = await pages(joined, limit);
      expect(all.flat()).toEqual(ids.toReversed());
      expect(all.every((page) => page.length <= limit)).toBe(true);
    },
  );

  test('a page stays in place while jobs are added', async () => {
    const { joined } = world();
    const ids = await add(joined, 'a', 'document.org', 'a', 'document.org');
    const first = await joined.list({ filter: {}, limit: 2 });
    await add(joined, 'document.org', 'a');
    const second = await joined.list({ filter: {}, limit: 9, cursor: first.next ?? '' });
    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(ids.toReversed());
  });

  test('a list of one kind asks one store only', async () => {
    const { joined, org } = world();
    await add(joined, 'a', 'document.org');
    org.list = () => Promise.reject(new Error('not asked for'));
    expect((await joined.list({ filter: { kind: 'a' }, limit: 9 })).jobs).toHaveLength(1);
  });

  test.each(['nonsense', '', 'e30x', Buffer.from('{"elsewhere":"1"}').toString('base64url')])(
    'the cursor "%s" is refused',
    async (cursor) => {
      const { joined } = world();
      await expect(joined.list({ filter: {}, limit: 1, cursor })).rejects.toMatchObject({
        code: 'invalid_cursor',
      });
    },
  );

  test('moves by hand reach each store, and by filter no more than asked for', async () => {
    const { joined } = world();
    const ids = await add(joined, 'a', 'document.org', 'a', 'document.org');
    expect((await joined.cancel({ select: { ids } })).canceled).toHaveLength(4);
    const some = await joined.retry({ select: { filter: {}, limit: 3 } });
    expect([some.retried, some.ids.length]).toEqual([3, 3]);
    expect((await joined.retry({ select: { filter: {}, limit: 3 } })).retried).toBe(1);
  });

  test('counts and erasure are over all', async () => {
    const { joined } = world();
    await joined.enqueue({
      jobs: [job('a', { subject: 's' }), job('document.org', { subject: 's' })],
    });
    const counts = await joined.counts();
    expect(counts.map(({ kind, count }) => `${kind} ${count}`).toSorted()).toEqual([
      'a 1',
      'document.org 1',
    ]);
    expect(await joined.erase({ subject: 's' })).toBe(2);
  });

  test('one that is away is left out and reported; the main one must answer', async () => {
    const { main, org } = world();
    const away = () => Promise.reject(new StoreUnavailable('away'));
    const told: string[] = [];
    const side: Store = { ...org, list: away, counts: away, summaries: away };
    const sides = [{ place: 'our org', store: side, kinds: ['document.org'] }];
    const noted = createAway(sides, (place) => told.push(place));
    const joined = joinStores(main, sides, noted);
    expect(noted.places()).toEqual([]);
    const [id = '', other = ''] = await add(joined, 'a', 'document.org');
    expect(await joined.list({ filter: {}, limit: 1 })).toMatchObject({
      jobs: [{ id }],
      next: null,
    });
    expect(await joined.counts()).toMatchObject([{ kind: 'a' }]);
    expect(await joined.summaries({ ids: [id, other] })).toMatchObject([{ id }]);
    expect(told).toEqual(['our org']);
    expect([noted.places(), noted.places(['a']), noted.kinds()]).toEqual([
      ['our org'],
      [],
      ['document.org'],
    ]);
    side.counts = org.counts;
    expect(await joined.counts()).toHaveLength(2);
    expect(noted.places(['document.org'])).toEqual([]);
    const broken = joinStores({ ...main, counts: away }, [{ place: 'org', store: org, kinds: [] }]);
    await expect(broken.counts()).rejects.toThrow('away');
  });

  test('without others it is the store itself', () => {
    const { main } = world();
    expect(joinStores(main, [])).toBe(main);
  });
});

describe('a store beside the main one', () => {
  test('does not claim what is paused there, and says so of a job', async () => {
    const { joined, side, main } = world();
    const [id = ''] = await add(joined, 'document.org');
    await joined.control.pause({ kind: 'document.org', by: 'ann' });
    expect((await claim(side, 'document.org')).jobs).toEqual([]);
    expect(await joined.inspect({ id })).toMatchObject({ kindPaused: true });
    expect(await main.control.paused()).toMatchObject([{ kind: 'document.org', by: 'ann' }]);
    await joined.control.resume({ kind: 'document.org' });
    expect((await claim(side, 'document.org')).jobs).toMatchObject([{ id }]);
  });

  test('hears of a resume at once', async () => {
    const { joined, side } = world();
    const heard: string[] = [];
    const leave = side.watch(({ type }) => heard.push(type));
    await joined.control.pause({ kind: 'document.org', by: null });
    leave();
    await joined.control.resume({ kind: 'document.org' });
    expect(heard).toEqual(['control']);
  });

  test('is counted once a minute, and again after a failure', async () => {
    const { joined, org, main } = world();
    await add(joined, 'document.org');
    const counts = org.counts.bind(org);
    let asked = 0;
    const counted = beside(
      {
        ...org,
        counts() {
          asked += 1;
          return asked === 1 ? Promise.reject(new Error('away')) : counts();
        },
      },
      main,
      () => now,
    );
    await expect(counted.counts()).rejects.toThrow('away');
    expect(await counted.counts()).toMatchObject([{ count: 1 }]);
    await counted.counts();
    expect(asked).toBe(2);
    now += 61_000;
    await counted.counts();
    expect(asked).toBe(3);
  });
});

describe('a member of the port', () => {
  test('is passed on: beside and joined have what their stores have, and lack what they lack', () => {
    const { main, org, side, joined } = world();
    expect(Object.keys(side).toSorted()).toEqual(Object.keys(org).toSorted());
    expect(Object.keys(joined).toSorted()).toEqual(Object.keys(main).toSorted());
    const { chunks: _, control: __, ...least } = org;
    expect(beside(least, main, () => now)).not.toHaveProperty('chunks');
    expect(beside(least, main, () => now).control).toBe(main.control);
  });
});
