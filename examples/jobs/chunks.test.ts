import { createTestQueue, runJob } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { countPrimes } from './chunks.ts';

// A test to copy: docs/testing.md says what else there is.

test('counts the primes, and says how far it is', async () => {
  const run = await runJob(countPrimes, { upTo: 10_000 });
  expect(run.result).toEqual({ primes: 1_229 });
  expect(run.chunks).toHaveLength(10);
  expect(run.progress).toEqual({ done: 10_000, total: 10_000 });
});

test('a worker that dies costs one chunk, and the primes are the same', async () => {
  const queue = createTestQueue({ jobs: [countPrimes] });
  await queue.enqueue(countPrimes, { upTo: 10_000 });
  queue.break({ worker: 'killed', job: countPrimes, chunk: 4 });

  const [first, second] = await queue.drain();

  expect(first).toMatchObject({ outcome: 'lost', chunks: { length: 3 } });
  expect(second).toMatchObject({ outcome: 'succeeded', chunks: { length: 7 } });
  expect(second?.result).toEqual({ primes: 1_229 });
});

test('takes no numbers that would take a day', async () => {
  const queue = createTestQueue({ jobs: [countPrimes] });
  await expect(queue.enqueue(countPrimes, { upTo: 1e12 })).rejects.toMatchObject({
    code: 'invalid_payload',
  });
});
