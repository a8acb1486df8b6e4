import { describeStoreContract, newJob } from '@millrace/store-contract';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isLong } from '../../../scripts/need.mjs';
import { startCluster } from '../test/cluster.ts';
import { monitor } from '../test/monitor.ts';
import { startStore } from '../test/redis.ts';
import { FAILED, claimAll, settle, start, succeeded } from '../test/work.ts';

/** Two servers that share the slots: the store finds out by itself that it is on one of them. */

let cluster: Awaited<ReturnType<typeof startCluster>>;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

// The same scripts are checked on one server in the fast suite.
if (isLong)
  describeStoreContract('bullmq on a cluster', () => startStore(cluster.url, { isCluster: true }));

/** What has no key, or names one as a script of ours is called. */
const KEYLESS =
  /^(time|publish|subscribe|info|cluster|readonly|ping|select|client|command|script)$/i;

if (!isLong)
  test('all keys are in one slot, also those that a script does not declare', async () => {
    const harness = await startStore(cluster.url, { isCluster: true });
    onTestFinished(() => harness.close());
    const used = new Set<string>();
    for (const url of cluster.urls) {
      const stop = await monitor(url, (command, args) => {
        if (KEYLESS.test(command)) return;
        if (/^eval/i.test(command)) used.add(args[2] ?? '');
        else if (/^del$/i.test(command)) args.forEach((key) => used.add(key));
        else used.add(args[0] ?? '');
      });
      onTestFinished(stop);
    }
    const store = await harness.open();
    const named = { correlationId: 'c', subject: 's', key: { value: 'k', windowMs: 1_000 } };
    const job = await start(store, { kind: 'a', ...named, tenant: 't' });
    await store.renew({ leases: [job], leaseMs: 60_000 });
    await settle(store, job, succeeded(), [newJob({ kind: 'b' })]);
    await settle(store, await start(store, { kind: 'c', due: { at: 1 } }), FAILED);
    await store.enqueue({ jobs: [newJob({ kind: 'a', due: { afterMs: 1_000 } })] });
    const lost = await start(store, { kind: 'd' });
    await harness.advance(120_000);
    await claimAll(store, 'a');
    await claimAll(store, 'd', { alone: true });
    await store.cancel({ select: { ids: [lost.id] } });
    await store.retry({ select: { filter: { state: 'FAILED' }, limit: 9 } });
    await store.erase({ subject: 's' });
    await store.counts();
    await store.inspect({ id: job.id });
    await store.list({ filter: { correlationId: 'c' }, limit: 9 });
    await store.upkeep?.prune({ keep: {}, otherwise: { SUCCEEDED: 0, FAILED: 0, CANCELED: 0 } });
    // What a monitor tells comes after the answers: this comes last.
    const last = `{${harness.prefix}}.last`;
    await harness.admin.set(last, '1');
    await expect.poll(() => used.has(last)).toBe(true);

    const slots = new Set<unknown>();
    for (const key of used) slots.add(await cluster.nodes[0]?.call('CLUSTER', 'KEYSLOT', key));
    expect(used.size).toBeGreaterThan(30);
    expect([...used].filter((key) => !key.startsWith(`{${harness.prefix}}`))).toEqual([]);
    expect(slots.size).toBe(1);
  });
