import { describeStoreContract } from '@millrace/store-contract';
import { afterAll, beforeAll } from 'vitest';
import { startRedis } from '../../../scripts/services.mjs';
import { startStore } from '../test/redis.ts';

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.remove());

describeStoreContract('bullmq', () => startStore(redis.url));
