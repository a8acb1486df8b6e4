import { type Hint, StoreTimedOut, StoreUnavailable } from '@millrace/engine';
import { newJob, only, times } from '@millrace/store-contract';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../scripts/services.mjs';
import { startCluster } from '../test/cluster.ts';
import { startStore } from '../test/redis.ts';
import { startSwitchboard } from '../test/switchboard.ts';
import { claimAll, settle, start } from '../test/work.ts';

/** The lines between here and Redis: answers that are lost, silence, and who holds up whom. */

async function line() {
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  const board = await startSwitchboard(redis.url);
  onTestFinished(() => board.close());
  return { redis, board };
}

test('a cluster is not asked twice when an answer is lost', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const boards: Awaited<ReturnType<typeof startSwitchboard>>[] = [];
  for (const [index, url] of cluster.urls.entries()) {
    const board = await startSwitchboard(url);
    onTestFinished(() => board.close());
    boards.push(board);
    await cluster.nodes[index]?.call('CONFIG', 'SET', 'cluster-announce-port', board.port);
  }
  // Each has to know the address of the other: a client may ask either.
  for (const node of cluster.nodes)
    await expect
      .poll(async () => String(await node.call('CLUSTER', 'NODES')), { timeout: 20_000 })
      .toSatisfy((nodes: string) => boards.every(({ port }) => nodes.includes(`:${port}@`)));
  const harness = await startStore(boards[0]?.url ?? '', { isCluster: true });
  onTestFinished(() => harness.close());
  const store = await harness.open();
  const lose = (text: string): void => boards.forEach((board) => board.loseAnswerTo(text));
  // Scripts are sent by their hash once they are known.
  await settle(store, await start(store));

  lose('mark-1');
  const asked = store.enqueue({ jobs: [newJob({ kind: 'once', payload: '"mark-1"' })] });
  await expect(asked).rejects.toBeInstanceOf(StoreUnavailable);
  const count = async (kind: string): Promise<number> => {
    const counts = await store.counts().catch(() => null);
    return counts?.find((each) => each.kind === kind)?.count ?? 0;
  };
  await expect.poll(() => count('once'), { timeout: 20_000 }).toBe(1);

  // Redirected commands arrive, though nothing is sent again.
  await store.enqueue({ jobs: times(4, () => newJob({ kind: 'batch' })) });
  lose('worker-cut');
  const request = {
    worker: 'worker-cut',
    claim: 1,
    wants: [{ kind: 'batch', limit: 2 }],
    limit: 2,
    leaseMs: 60_000,
  };
  await expect(store.claim(request)).rejects.toBeInstanceOf(StoreUnavailable);
  const replayed = async () =>
    store
      .claim({ ...request, replay: true })
      .then(({ jobs }) => jobs.length)
      .catch(() => null);
  await expect.poll(replayed, { timeout: 20_000 }).toBe(2);
  const { jobs } = await store.list({ filter: { state: 'PROCESSING' }, limit: 9 });
  expect(jobs, 'none is with nobody').toHaveLength(2);
}, 60_000);

test('a connection that went silent is replaced', async () => {
  const { board } = await line();
  const harness = await startStore(board.url, { answerWithinMs: 500 });
  onTestFinished(() => harness.close());
  const store = await harness.open();
  const heard: Hint[] = [];
  store.watch((hint) => heard.push(hint));
  await store.enqueue({ jobs: [newJob()] });
  board.silence();
  await expect(store.enqueue({ jobs: [newJob()] })).rejects.toBeInstanceOf(StoreTimedOut);
  await expect
    .poll(() => store.enqueue({ jobs: [newJob()] }).catch(() => null), { timeout: 20_000 })
    .not.toBeNull();
  // The subscription sends nothing of itself that would miss an answer.
  await expect.poll(() => heard, { timeout: 20_000 }).toContainEqual({ type: 'control' });
  await store.enqueue({ jobs: [newJob({ kind: 'later' })] });
  await expect.poll(() => heard).toContainEqual({ type: 'ready', kinds: ['later'] });
}, 60_000);

test('who waits for a replica that is not there holds up no lease and no other', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  const harness = await startStore(redis.url, { replicas: 1 });
  onTestFinished(() => harness.close());
  const store = await harness.open();
  await store.enqueue({ jobs: [newJob()] }).catch(() => {});
  const job = only(await claimAll(store));
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  const waits = async (): Promise<number> =>
    Number(/cmdstat_wait:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
  const before = await waits();

  let answered = 0;
  const asked = times(30, () =>
    store
      .enqueue({ jobs: [newJob()] })
      .catch((error: unknown) => error)
      .finally(() => (answered += 1)),
  );
  // On a busy machine they take a while to get there.
  await expect
    .poll(async () => admin.info('clients'), { timeout: 20_000 })
    .toMatch(/blocked_clients:[1-9]/);
  expect(await store.renew({ leases: [job], leaseMs: 60_000 })).toEqual(['renewed']);
  expect(answered, 'the renewal did not wait for them').toBe(0);
  for (const error of await Promise.all(asked)) expect(error).toBeInstanceOf(StoreUnavailable);
  expect((await waits()) - before, 'one for all that came meanwhile').toBeLessThan(5);
}, 60_000);
