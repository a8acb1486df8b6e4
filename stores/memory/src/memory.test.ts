import {
  type ClaimParams,
  type ClaimedJob,
  type Dependants,
  type Hint,
  type NewJob,
  type Settlement,
  type Store,
  StoreUnavailable,
} from '@millrace/engine';
import { newJob } from '@millrace/store-contract';
import { describe, expect, it } from 'vitest';
import { type Fence, type MemoryStore, createMemoryDatabase, createMemoryStore } from './index.ts';

/** What the contract leaves open, because only a store with a virtual clock can be so exact. */

const START = 1_000_000;

function world(options: { holds?: Fence; dependants?: Dependants } = {}) {
  const clock = { now: START };
  const { dependants, ...rest } = options;
  const database = createMemoryDatabase({ now: () => clock.now, ...rest });
  const open = (): MemoryStore => database.open(dependants === undefined ? {} : { dependants });
  const { peek } = database;
  return { clock, open, store: open(), peek, snapshot: () => database.snapshot() };
}

let claims = 0;

async function claim(store: Store, changes: Partial<ClaimParams> = {}) {
  claims += 1;
  return store.claim({
    worker: 'w',
    claim: claims,
    wants: [{ kind: 'work', limit: 100 }],
    limit: 100,
    leaseMs: 1_000,
    ...changes,
  });
}

async function start(store: Store, changes: Partial<NewJob> = {}): Promise<ClaimedJob> {
  await store.enqueue({ jobs: [newJob(changes)] });
  const { jobs } = await claim(store);
  const [job] = jobs;
  if (job === undefined) throw new Error('Nothing was claimed.');
  return job;
}

function done(job: ClaimedJob, children: NewJob[] = []): Settlement {
  const outcome = { move: 'succeed', result: '1', purgePayload: false, effects: [] } as const;
  return { job, outcome, children };
}

describe('exact times', () => {
  it('a job is due at its time, not a millisecond before', async () => {
    const { clock, store } = world();
    await store.enqueue({
      jobs: [newJob({ due: { afterMs: 500 } }), newJob({ due: { at: START + 700 } })],
    });
    expect(await claim(store)).toMatchObject({ jobs: [], more: false, nextDueMs: 500 });
    clock.now += 499;
    expect(await claim(store)).toMatchObject({ jobs: [], nextDueMs: 1 });
    clock.now += 1;
    expect(await claim(store)).toMatchObject({ jobs: [{ id: 'mem-1' }], nextDueMs: 200 });
  });

  it('a lease ends after its last millisecond', async () => {
    const { clock, store } = world();
    await start(store);
    clock.now += 1_000;
    expect((await claim(store)).takenOver).toBe(0);
    clock.now += 1;
    expect((await claim(store)).takenOver).toBe(1);
  });

  it('an idempotency window and a gate last as long as they say', async () => {
    const { clock, store } = world({
      dependants: (job) => [
        {
          child: newJob({ kind: 'child' }),
          gate: { rule: 'r', key: 'k', slot: job.kind, slots: [job.kind, 'never'], withinMs: 100 },
        },
      ],
    });
    const job = newJob({ key: { value: 'k', windowMs: 100 } });
    await store.settle({ settlements: [done(await start(store, job))] });
    clock.now += 99;
    expect(await store.enqueue({ jobs: [job] })).toEqual([{ id: 'mem-1', created: false }]);
    clock.now += 1;
    expect(await store.followers.closeGates({ limit: 1 })).toEqual([]);
    expect(await store.enqueue({ jobs: [job] })).toEqual([{ id: 'mem-2', created: true }]);
    clock.now += 1;
    expect(await store.followers.closeGates({ limit: 1 })).toHaveLength(1);
  });

  it('is the same every time', async () => {
    const run = async (): Promise<unknown> => {
      const { clock, store } = world();
      const hints: Hint[] = [];
      store.watch((hint) => hints.push(hint));
      await store.enqueue({ jobs: [newJob(), newJob({ priority: 1 }), newJob({ tenant: 'a' })] });
      const { jobs } = await claim(store, { limit: 2, claim: 4_711 });
      clock.now += 5;
      await store.settle({ settlements: jobs.map((job) => done(job, [newJob({ kind: 'b' })])) });
      return { jobs, hints, list: await store.list({ filter: {}, limit: 99 }) };
    };
    expect(await run()).toEqual(await run());
  });
});

describe('whose turn it is', () => {
  it('a claim goes on after the tenant that the one before it served last', async () => {
    const { open, store } = world();
    for (const tenant of ['c', 'a', 'b'])
      await store.enqueue({ jobs: Array.from({ length: 9 }, () => newJob({ tenant })) });
    const served = [];
    for (const limit of [1, 1, 2, 1, 4]) {
      const { jobs } = await claim(store, { limit });
      served.push(jobs.map(({ tenant }) => tenant).toSorted());
    }
    expect(served).toEqual([['a'], ['b'], ['a', 'c'], ['b'], ['a', 'b', 'c', 'c']]);
    const [first] = (await claim(open(), { limit: 1 })).jobs;
    expect(first?.tenant, 'each handle by itself').toBe('a');
  });

  it('a subqueue gives no more than its share, and says that it has more', async () => {
    const { store } = world();
    await store.enqueue({
      jobs: Array.from({ length: 20 }, () => newJob({ tenant: 'big' })),
    });
    await store.enqueue({ jobs: [newJob({ tenant: 'small' })] });
    const { jobs, more } = await claim(store, { limit: 9 });
    expect(jobs.map(({ tenant }) => tenant).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'big'),
      'small',
    ]);
    expect(more).toBe(true);
  });

  it('one tenant’s kinds go by priority alone', async () => {
    const { store } = world();
    const wants = ['a', 'b'].map((kind) => ({ kind, limit: 100 }));
    await store.enqueue({
      jobs: [newJob({ kind: 'a', priority: 5 }), newJob({ kind: 'a', priority: 5 })],
    });
    await store.enqueue({ jobs: [newJob({ kind: 'b' }), newJob({ kind: 'a', priority: 5 })] });
    const kinds = [];
    for (let slot = 0; slot < 4; slot += 1) {
      const { jobs } = await claim(store, { limit: 1, wants });
      kinds.push(...jobs.map(({ kind }) => kind));
    }
    expect(kinds).toEqual(['a', 'a', 'a', 'b']);
  });

  it('work that only a tenant’s limit holds back is not “more”', async () => {
    const { store } = world();
    await store.enqueue({ jobs: [newJob(), newJob(), newJob()] });
    const wants = [{ kind: 'work', limit: 100, tenantLimit: 2 }];
    const claimed = await claim(store, { wants });
    expect(claimed.jobs).toHaveLength(2);
    expect(claimed.more).toBe(false);
  });
});

describe('whole or not at all', () => {
  it('a rule that throws takes the settlement back, with its children and hints', async () => {
    const { store } = world({
      dependants: ({ kind }) => {
        if (kind === 'bad') throw new Error('A rule went wrong.');
        return [{ child: newJob({ kind: 'child' }) }];
      },
    });
    const good = await start(store);
    await store.enqueue({ jobs: [newJob({ kind: 'bad' })] });
    const [bad] = (await claim(store, { wants: [{ kind: 'bad', limit: 1 }] })).jobs;
    if (bad === undefined) throw new Error('Nothing was claimed.');
    const before = await store.list({ filter: {}, limit: 99 });
    const hints: Hint[] = [];
    store.watch((hint) => hints.push(hint));
    const settlements = [done(good, [newJob()]), done(bad)];
    await expect(store.settle({ settlements })).rejects.toThrow('A rule went wrong.');
    expect(await store.list({ filter: {}, limit: 99 })).toEqual(before);
    expect(await store.counts()).toHaveLength(2);
    expect(hints).toEqual([]);
    expect(await store.settle({ settlements: [done(good)] })).toEqual(['settled']);
  });

  it('what the caller changes afterwards is not the store’s', async () => {
    const { store } = world();
    const parents = { left: 'mem-9' };
    await store.enqueue({ jobs: [newJob({ parents })] });
    parents.left = 'changed';
    expect((await store.get({ id: 'mem-1' }))?.parents).toEqual({ left: 'mem-9' });
  });
});

describe('handles', () => {
  it('a closed one is out of reach and deaf; the data lives on', async () => {
    const { open, store } = world();
    const heard: Hint[] = [];
    store.watch((hint) => heard.push(hint));
    await store.close();
    await expect(store.now()).rejects.toBeInstanceOf(StoreUnavailable);
    const other = open();
    await other.enqueue({ jobs: [newJob()] });
    expect(heard).toEqual([]);
    expect(await other.get({ id: 'mem-1' })).not.toBeNull();
  });

  it('a store of one handle takes a name', async () => {
    const store = createMemoryStore({ name: 'sim', now: () => START });
    expect(await store.enqueue({ jobs: [newJob()] })).toEqual([{ id: 'sim-1', created: true }]);
  });

  it('effects are refused, since nothing would commit them', async () => {
    const { store } = world();
    const { job } = done(await start(store));
    const outcome = {
      move: 'succeed',
      result: '1',
      purgePayload: false,
      effects: [{ type: 'file' }],
    } as const;
    await expect(
      store.settle({ settlements: [{ job, outcome, children: [] }] }),
    ).rejects.toMatchObject({
      code: 'unsupported_by_store',
    });
    expect(await store.get({ id: job.id })).toMatchObject({ state: 'PROCESSING' });
  });
});

describe('a fail-over that loses commits', () => {
  it('brings the data back as it was, numbers and epochs included', async () => {
    const { clock, open, store, snapshot } = world();
    const other = open();
    await store.enqueue({ jobs: [newJob()] });
    const failOver = snapshot();
    const { jobs } = await claim(store);
    await store.enqueue({ jobs: [newJob({ kind: 'later' })] });
    clock.now += 10;
    failOver();
    expect(await other.list({ filter: {}, limit: 9 })).toMatchObject({
      jobs: [{ id: 'mem-1', state: 'QUEUED', attempt: 0 }],
    });
    expect(await store.counts()).toMatchObject([{ state: 'QUEUED', count: 1 }]);
    const heirs = (await claim(other)).jobs;
    expect(
      heirs.map(({ id, epoch }) => ({ id, epoch })),
      'the same epoch again',
    ).toEqual(jobs.map(({ id, epoch }) => ({ id, epoch })));
    expect(await store.settle({ settlements: jobs.map((job) => done(job)) })).toEqual(['stale']);
    expect(await store.enqueue({ jobs: [newJob()] })).toEqual([{ id: 'mem-2', created: true }]);
  });
});

describe('a look at the data', () => {
  it('has the jobs as a store has them, oldest first', async () => {
    const { store, peek } = world();
    await store.enqueue({ jobs: [newJob({ kind: 'a' }), newJob({ kind: 'b' })] });
    const kinds = peek.jobs().map(({ kind }) => kind);
    expect(kinds).toEqual(['a', 'b']);
    expect(peek.jobs()[0]).toEqual(await store.get({ id: 'mem-1' }));
  });

  it('says what is to come, and when', async () => {
    const { clock, store, peek } = world();
    expect(peek.outlook()).toEqual({ due: 0, scheduled: 0, running: 0, nextAt: null });
    await start(store);
    await store.enqueue({ jobs: [newJob(), newJob({ due: { afterMs: 50 } })] });
    const nextAt = clock.now + 50;
    expect(peek.outlook()).toEqual({ due: 1, scheduled: 1, running: 1, nextAt });
    clock.now += 50;
    expect(peek.outlook()).toEqual({ due: 2, scheduled: 0, running: 1, nextAt: null });
  });
});

describe('the fence', () => {
  it('is what stops a zombie: without it, its result stands', async () => {
    const { clock, store } = world({ holds: () => true });
    const zombie = await start(store);
    clock.now += 1_001;
    await claim(store, { alone: true });
    expect(await store.settle({ settlements: [done(zombie)] })).toEqual(['settled']);
    expect(await store.get({ id: zombie.id })).toMatchObject({ state: 'SUCCEEDED' });
  });
});
