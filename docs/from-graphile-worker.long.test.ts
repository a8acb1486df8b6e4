import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Guide, peer, query, startGuide, waiting } from './test/moving.ts';

/** Both sides of the guide, and the way from one to the other, on one Postgres with graphile-worker's own tables. */

interface Utils {
  migrate(): Promise<void>;
  release(): Promise<void>;
  addJob(task: string, payload: object, spec?: object): Promise<{ id: string }>;
  addJobs(specs: { identifier: string; payload: object }[]): Promise<unknown>;
  permanentlyFailJobs(ids: string[]): Promise<unknown>;
}
type Graphile = { default: { makeWorkerUtils(options: object): Promise<Utils> } };

const TASK = 'confirm_order';
const JOBS = 'graphile_worker._private_jobs';
let guide: Guide;
let utils: Utils;
let env: { DATABASE_URL: string; NO_LOG_SUCCESS: string };

beforeAll(async () => {
  guide = await startGuide('docs/from-graphile-worker.md', ['graphile-worker']);
  env = { DATABASE_URL: guide.url, NO_LOG_SUCCESS: '1' };
  const { default: graphile } = await peer<Graphile>('graphile-worker', 'dist/index.js');
  utils = await graphile.makeWorkerUtils({ connectionString: guide.url });
  await utils.migrate();
}, 120_000);
afterAll(async () => {
  await utils.release();
  await guide.remove();
});

beforeEach(async () => {
  await query(guide.url, `DELETE FROM ${JOBS}`);
  await guide.reset();
});

async function left(): Promise<number[]> {
  const rows = await query<{ order: number }>(
    guide.url,
    `SELECT (payload->>'order')::int AS order FROM ${JOBS} ORDER BY id`,
  );
  return rows.map(({ order }) => order);
}

it('the same job runs in both', async () => {
  const said = /^Order 7 is confirmed\.$/m;
  expect(await guide.project.until('before.ts', said, env)).toMatch(said);
  expect(await guide.project.until('after.ts', said, env)).toMatch(said);
});

it('both join a transaction, and are gone with it', async () => {
  await guide.project.node('transaction.ts', { env });
  expect([await left(), await waiting(guide.url)]).toEqual([[], []]);
});

it('a task forwards what triggers still enqueue', async () => {
  await query(guide.url, `SELECT graphile_worker.add_job($1, '{"order": 9}')`, [TASK]);
  const said = /^Order 9 is confirmed\.$/m;
  expect(await guide.project.until('forward.ts', said, env)).toMatch(said);
});

it('what waits is moved as it is, and what runs or has failed for good stays', async () => {
  const plain = await utils.addJob(TASK, { order: 1 });
  const urgent = await utils.addJob(TASK, { order: 2 }, { priority: -5_000, jobKey: 'order-2' });
  const runAt = new Date(Date.now() + 30 * 60_000);
  const late = await utils.addJob(TASK, { order: 3 }, { priority: 7, runAt, queueName: 'shop' });
  const running = await utils.addJob(TASK, { order: 4 });
  const failed = await utils.addJob(TASK, { order: 5 });
  await utils.addJob('another_task', { order: 6 });
  // An old worker is about to have it: whoever moves must not wait for that.
  const worker = new pg.Client(guide.url);
  await worker.connect();
  onTestFinished(() => worker.end());
  await worker.query('BEGIN');
  await worker.query(`UPDATE ${JOBS} SET locked_at = now(), locked_by = 'w' WHERE id = $1`, [
    running.id,
  ]);
  await utils.permanentlyFailJobs([failed.id]);

  expect(await guide.project.node('move.ts', { env })).toBe('3 jobs were moved.\n');

  const moved = await waiting(guide.url);
  const from = ({ id }: { id: string }) => `graphile-worker/${id}`;
  expect(moved.toSorted((a, b) => a.order - b.order)).toEqual([
    { order: 1, priority: 0, correlationId: from(plain), dueInMinutes: 0 },
    { order: 2, priority: 1_000, correlationId: from(urgent), dueInMinutes: 0 },
    { order: 3, priority: -7, correlationId: from(late), dueInMinutes: 30 },
  ]);
  expect(
    await query(guide.url, `SELECT DISTINCT tenant FROM millrace.jobs ORDER BY tenant`),
  ).toEqual([{ tenant: '' }, { tenant: 'shop' }]);
  await worker.query('COMMIT');
  expect(await left()).toEqual([4, 5, 6]);
});

it('while old workers go on, each job is on one side', async () => {
  const orders = Array.from({ length: 1_200 }, (_, order) => order);
  await utils.addJobs(orders.map((order) => ({ identifier: TASK, payload: { order } })));
  const taken: number[] = [];
  /** As graphile-worker claims: rows that somebody has locked are skipped. */
  async function oldWorker(): Promise<void> {
    for (;;) {
      const rows = await query<{ order: number }>(
        guide.url,
        `UPDATE ${JOBS} SET locked_at = now(), locked_by = 'w' WHERE id IN (
           SELECT id FROM ${JOBS} WHERE is_available ORDER BY priority, run_at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING (payload->>'order')::int AS order`,
      );
      if (rows.length === 0) return;
      taken.push(...rows.map(({ order }) => order));
    }
  }
  await Promise.all([
    guide.project.node('move.ts', { env }),
    guide.project.node('move.ts', { env }),
    oldWorker(),
  ]);
  const moved = (await waiting(guide.url)).map(({ order }) => order);
  expect([...taken, ...moved].toSorted((a, b) => a - b)).toEqual(orders);
  expect([taken.length > 0, moved.length > 0], 'both had some').toEqual([true, true]);
});

it('data that the schema refuses moves nothing', async () => {
  await utils.addJob(TASK, { order: 1 });
  await utils.addJob(TASK, { order: null });
  await expect(guide.project.node('move.ts', { env })).rejects.toThrow(
    'The data does not fit the kind "confirm_order": order:',
  );
  expect(await left()).toHaveLength(2);
  expect(await waiting(guide.url)).toEqual([]);
});
