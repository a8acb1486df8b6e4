import { type ClaimedJob, type Hint, StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import { expectRefused, newJob, only, times } from '@millrace/store-contract';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished } from 'vitest';
import { startRedis } from '../../../scripts/services.mjs';
import { startStore } from '../test/redis.ts';
import { startSwitchboard } from '../test/switchboard.ts';
import { claimAll, settle, start } from '../test/work.ts';
import { type BullStore, type BullStoreOptions, openBullStore } from './index.ts';
import { inFast, inLong } from '../../../scripts/suite.ts';

/** What a Redis does besides answering: each on a server of its own. */

type Server = Awaited<ReturnType<typeof startRedis>>;

async function server(settings: Record<string, string | number> = {}): Promise<Server> {
  const started = await startRedis({ settings });
  onTestFinished(() => started.remove());
  return started;
}

async function world(url: string, options: Partial<BullStoreOptions> = {}) {
  const harness = await startStore(url, options);
  onTestFinished(() => harness.close());
  return { ...harness, store: await harness.open() };
}

function adminOf(url: string): Redis {
  const admin = new Redis(url);
  onTestFinished(() => admin.disconnect());
  return admin;
}

/** Waits for Redis to be back, by asking. */
async function isBack(store: BullStore | Awaited<ReturnType<typeof world>>['store']) {
  await expect
    .poll(
      () =>
        store
          .now()
          .then(() => true)
          .catch(() => false),
      { timeout: 20_000 },
    )
    .toBe(true);
}

describe('a server that is of no use for a while', () => {
  let redis: Server;
  beforeEach(async () => {
    redis = await server();
  });

  inFast('is away: everything fails as unavailable, and goes on when it is back', async () => {
    const { store } = await world(redis.url);
    const job = await start(store);
    await redis.stop('immediate');
    await expect(store.enqueue({ jobs: [newJob()] })).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(settle(store, job)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(claimAll(store)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(store.counts()).rejects.toBeInstanceOf(StoreUnavailable);
    await redis.start();
    await isBack(store);
    // Nothing was kept on disk: the lease is nobody's, and a new job is like any other.
    expect(await settle(store, job)).toBe('stale');
    await settle(store, await start(store));
  });

  inFast('is not there at all: opening says so', async () => {
    await redis.stop('immediate');
    await expect(openBullStore({ url: redis.url })).rejects.toThrow(/ECONNREFUSED/);
  });

  inFast('hangs: the call ends as timed out, and what it did is not done twice', async () => {
    const { store, admin } = await world(redis.url, { answerWithinMs: 300 });
    await store.enqueue({ jobs: [newJob()] });
    const [, pid] = /process_id:(\d+)/.exec(await admin.info('server')) ?? [];
    process.kill(Number(pid), 'SIGSTOP');
    await expect(store.enqueue({ jobs: [newJob()] })).rejects.toBeInstanceOf(StoreTimedOut);
    process.kill(Number(pid), 'SIGCONT');
    await isBack(store);
    // It was on its way, and happened: unknown is unknown.
    expect(await store.counts()).toMatchObject([{ count: 2 }]);
  });

  inFast('became a replica: unavailable, until it is none any more', async () => {
    const { store, admin } = await world(redis.url);
    const job = await start(store);
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    await expect(settle(store, job)).rejects.toThrow(/takes no writes|did not answer/);
    await expect(settle(store, job)).rejects.toBeInstanceOf(StoreUnavailable);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    await isBack(store);
    expect(await settle(store, job)).toBe('settled');
  });

  inFast('is out of memory: nothing is half added, and what runs can end', async () => {
    const { store, admin } = await world(redis.url);
    await store.enqueue({ jobs: times(3, () => newJob()) });
    const [job] = await claimAll(store, 'work', { limit: 1 });
    await admin.call('CONFIG', 'SET', 'maxmemory', '1');
    const more = store.enqueue({ jobs: times(5, () => newJob({ correlationId: 'more' })) });
    await expect(more).rejects.toThrow(/memory of Redis is full/);
    await expect(more).rejects.toBeInstanceOf(StoreUnavailable);
    if (job !== undefined) expect(await settle(store, job)).toBe('settled');
    expect(await claimAll(store)).toHaveLength(2);
    await admin.call('CONFIG', 'SET', 'maxmemory', '0');
    const { jobs } = await store.list({ filter: { correlationId: 'more' }, limit: 9 });
    expect(jobs).toEqual([]);
    expect(await store.counts()).toHaveLength(2);
  });

  inFast('forgot its scripts: nobody notices', async () => {
    const { store, admin } = await world(redis.url);
    const job = await start(store);
    await admin.script('FLUSH');
    expect(await settle(store, job)).toBe('settled');
  });

  inFast('has a key of someone else’s: the data is at fault, not the server', async () => {
    const { store, admin, prefix } = await world(redis.url);
    await admin.set(`{${prefix}}.all`, 'mine');
    await expectRefused(store.enqueue({ jobs: [newJob()] }));
    await expect(store.enqueue({ jobs: [newJob()] })).rejects.toThrow(/another program/);
  });

  inFast('cut the subscription: everyone is asked to look, and hears again', async () => {
    const { store, admin } = await world(redis.url);
    const heard: Hint[] = [];
    store.watch((hint) => heard.push(hint));
    await admin.client('KILL', 'TYPE', 'pubsub');
    await expect.poll(() => heard, { timeout: 20_000 }).toContainEqual({ type: 'control' });
    await store.enqueue({ jobs: [newJob({ kind: 'later' })] });
    await expect.poll(() => heard).toContainEqual({ type: 'ready', kinds: ['later'] });
  });
});

inLong(
  'kills under load: nothing that was acknowledged is lost, nothing is there twice',
  async () => {
    const redis = await server({ appendonly: 'yes' });
    const { store } = await world(redis.url);
    const goesOn = { value: true };
    const acknowledged = new Set<string>();
    const ended = new Map<string, number>();
    let asked = 0;

    /** Asks until there is an answer, with what makes the request the same one. */
    async function persistently<T>(ask: () => Promise<T>): Promise<T> {
      while (true) {
        try {
          return await ask();
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          await isBack(store);
        }
      }
    }
    async function produce(): Promise<void> {
      while (goesOn.value) {
        asked += 1;
        const key = { value: `key-${asked}`, windowMs: 3_600_000 };
        const [made] = await persistently(() => store.enqueue({ jobs: [newJob({ key })] }));
        acknowledged.add(made?.id ?? '');
      }
    }
    /** Asks once, and takes no answer for an answer: nobody else may repeat it. */
    let numbers = 0;
    async function produceOnce(): Promise<void> {
      while (goesOn.value) {
        const payload = `${(numbers += 1)}`;
        const jobs = times(5, () => newJob({ kind: 'once', payload }));
        await store.enqueue({ jobs }).catch(() => isBack(store));
      }
    }
    let claims = 0;
    async function consume(worker: string): Promise<void> {
      let isEmpty = false;
      while (goesOn.value || !isEmpty) {
        const number = (claims += 1);
        const wants = [{ kind: 'work', limit: 5 }];
        const request = { worker, claim: number, wants, limit: 5, leaseMs: 600_000 };
        let replay = false;
        const { jobs, more } = await persistently(() => {
          const answer = store.claim({ ...request, replay });
          replay = true;
          return answer;
        });
        isEmpty = jobs.length === 0 && !more;
        for (const job of jobs) await end(job);
      }
    }
    async function end(job: ClaimedJob): Promise<void> {
      const answer = await persistently(() => settle(store, job));
      expect(['settled', 'already']).toContain(answer);
      ended.set(job.id, (ended.get(job.id) ?? 0) + 1);
    }

    const once = times(8, () => produceOnce());
    const work = [...once, produce(), produce(), consume('a'), consume('b')];
    for (let kill = 1; kill <= 3; kill += 1) {
      const target = acknowledged.size + 200;
      await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(target);
      await redis.stop('immediate');
      await redis.start();
    }
    goesOn.value = false;
    await Promise.all(work);
    expect(ended.size, 'one job for each key').toBe(asked);
    expect([...acknowledged].filter((id) => ended.get(id) !== 1)).toEqual([]);
    const counts = await store.counts();
    expect(counts.filter(({ kind }) => kind === 'work')).toMatchObject([
      { state: 'SUCCEEDED', count: asked },
    ]);
    const seen = new Map<string, number>();
    while (true) {
      const jobs = await claimAll(store, 'once', { limit: 500 });
      if (jobs.length === 0) break;
      for (const { payload } of jobs) seen.set(payload ?? '', (seen.get(payload ?? '') ?? 0) + 1);
    }
    expect(
      [...seen].filter(([, count]) => count !== 5),
      'all five, once',
    ).toEqual([]);
  },
  90_000,
);

/** The second is none yet. By itself a primary waits for 5 s whether more of them come before it sends what it has. */
async function primaryAndReplica() {
  const [primary, replica] = [await server(), await server()];
  await adminOf(primary.url).call('CONFIG', 'SET', 'repl-diskless-sync-delay', '0');
  return [primary, replica] as const;
}

inFast(
  'with a replica that must have it, nothing is answered that a fail-over would lose',
  async () => {
    const [primary, replica] = await primaryAndReplica();
    const { store, prefix } = await world(primary.url, { replicas: 1 });
    await expect(store.enqueue({ jobs: [newJob()] })).rejects.toThrow(/0 of 1 replicas/);
    const admin = adminOf(replica.url);
    const { hostname, port } = new URL(primary.url);
    await admin.call('REPLICAOF', hostname, port);
    await expect
      .poll(() => store.enqueue({ jobs: [newJob({ kind: 'kept' })] }).catch(() => null), {
        timeout: 20_000,
      })
      .not.toBeNull();
    const [job] = await claimAll(store, 'kept', { limit: 1 });
    if (job !== undefined) expect(await settle(store, job)).toBe('settled');
    await admin.call('REPLICAOF', 'NO', 'ONE');
    const heir = await openBullStore({ url: replica.url, prefix });
    onTestFinished(() => heir.close());
    expect(await heir.get({ id: job?.id ?? '' })).toMatchObject({ state: 'SUCCEEDED' });
  },
  60_000,
);

inFast(
  'a fail-over that lost claims and settlements gives no lease twice, and refuses the old ones',
  async () => {
    const [primary, replica] = await primaryAndReplica();
    const board = await startSwitchboard(primary.url);
    onTestFinished(() => board.close());
    const { store } = await world(board.url);
    const admin = adminOf(replica.url);
    await store.enqueue({ jobs: times(50, () => newJob()) });
    const { hostname, port } = new URL(primary.url);
    await admin.call('REPLICAOF', hostname, port);
    await expect
      .poll(async () => (await admin.info('replication')).includes('master_link_status:up'), {
        timeout: 20_000,
      })
      .toBe(true);
    // From here on the replica hears nothing more: what follows is lost.
    await admin.call('REPLICAOF', 'NO', 'ONE');
    const lost = await claimAll(store);
    expect(lost).toHaveLength(50);
    const settled = lost.slice(0, 10);
    for (const job of settled) expect(await settle(store, job)).toBe('settled');

    board.switchTo(replica.url);
    await isBack(store);
    const heirs = await claimAll(store, 'work', { worker: 'heir' });
    expect(heirs.map(({ id }) => id)).toEqual(lost.map(({ id }) => id));
    const before = new Map(lost.map((job) => [job.id, job.epoch]));
    expect(heirs.filter(({ id, epoch }) => epoch === before.get(id))).toEqual([]);
    for (const job of lost) expect(await settle(store, job)).toBe('stale');
    const renewed = await store.renew({ leases: lost, leaseMs: 60_000 });
    expect(new Set(renewed)).toEqual(new Set(['stale']));
    for (const job of heirs) expect(await settle(store, job)).toBe('settled');
    expect(only(await store.counts())).toMatchObject({ state: 'SUCCEEDED', count: 50 });
  },
  60_000,
);
