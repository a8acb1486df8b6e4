import { expect, it } from 'vitest';
import { filesPassed } from '../test/way.ts';
import { createWorld, later, work } from '../test/world.ts';
import type { ClaimedJob } from './job.ts';
import type { Store } from './port.ts';

const JOB: ClaimedJob = {
  id: 'mem-1',
  epoch: 1,
  claim: 1,
  kind: 'work',
  tenant: '',
  payload: '{}',
  attempt: 1,
  maxAttempts: 1,
  createdAt: 0,
  cursor: null,
  correlationId: null,
  submitter: null,
  subject: null,
  parents: null,
  traceparent: null,
  priority: null,
  webhook: null,
  suspect: false,
};

/** A store with one job, which the first claim gets when a test says so. `written` is called with how it ended. */
function oneJob(asked: Promise<void>, written: (move: string) => void): (store: Store) => Store {
  let waiting = [JOB];
  return (store) => ({
    ...store,
    async claim() {
      await asked;
      const jobs = waiting;
      waiting = [];
      const now = 0;
      return { jobs, now, lost: [], takenOver: 0, more: false, suspects: false, nextDueMs: null };
    },
    async settle({ settlements }) {
      for (const { outcome } of settlements) written(outcome.move);
      return settlements.map(() => 'settled');
    },
  });
}

// Whoever wants to know how a job runs reads these files. They were 32 while each step was a file of its own.
it('a job passes at most 15 files of the engine, from the answer of its claim to that of its outcome', async () => {
  const asked = later();
  const written = later<string>();
  const { worker, run } = createWorld({
    kinds: [work(async () => {})],
    wrap: oneJob(asked.promise, written.resolve),
  });
  worker.start();
  await run(10);
  const files = await filesPassed(async () => {
    asked.resolve();
    await run(10);
    expect(await written.promise).toBe('succeed');
  });
  expect(files).toContain('executor.ts');
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(15);
});
