import { randomUUID } from 'node:crypto';
import type { StoreHarness } from '@millrace/store-contract';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startRedis } from '../../../scripts/services.mjs';
import { type BullStore, type BullStoreOptions, openBullStore } from '../src/index.ts';

/** A fresh, empty store: a prefix of its own on the server. */
export async function startStore(
  url: string,
  { isCluster = false, ...options }: Partial<BullStoreOptions> & { isCluster?: boolean } = {},
): Promise<StoreHarness & { readonly prefix: string; readonly admin: Redis | Cluster }> {
  const prefix = `test-${randomUUID()}`;
  const admin = isCluster ? new Cluster([url]) : new Redis(url);
  admin.on('error', () => {});
  const stores: BullStore[] = [];
  let ahead = 0;
  return {
    prefix,
    admin,
    async open() {
      const store = await openBullStore({ url, prefix, ...options });
      stores.push(store);
      return store;
    },
    async advance(ms) {
      ahead += ms;
      await admin.set(`{${prefix}}.clock`, ahead);
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      admin.disconnect();
    },
  };
}

/** A Redis for the tests of a file; each test opens stores of its own on it. */
export function redisForTests() {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());
  return async (options: Partial<BullStoreOptions> = {}) => {
    const { url } = redis;
    const harness = await startStore(url, options);
    onTestFinished(() => harness.close());
    return { ...harness, url, store: await harness.open() };
  };
}
