import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { clockAheadBy } from '../../../../stores/postgres/test/databases.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type RunsWorld, definitionOf, newRun, openRunsWorld } from '../../test/runs-world.ts';
import { REPORT } from '../job-data.ts';
import type { RunFile } from './records.ts';

const FILE: RunFile = {
  rows: 3,
  bytes: 40,
  chunks: 1,
  rowsPerSecond: 100,
  sha256: 'f'.repeat(64),
  file: { place: 'a' },
  fileName: 'timesheets.csv',
  note: null,
  keepMs: 60_000,
};
const FACTS = { title: 'Timesheets', parameters: { county: '19' }, resumed: false };

describe.each(DATABASES)('runs of reports on %s', (which) => {
  let database: TestDatabase;
  let world: RunsWorld;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    world = await openRunsWorld(database);
  });
  afterEach(() => world.close());

  /** The job is not looked at by `begin` where the row is there. */
  const begin = (job: { id: string; epoch: number }, resumed = false) =>
    world.room.log.begin(job, { ...FACTS, resumed, job: undefined as never });

  test('are made together with their job, and go from QUEUED to a file', async () => {
    const { room } = world;
    const made = await room.runs.submit(newRun());
    expect(made).toMatchObject({ state: 'QUEUED', report: 'timesheets', submitter: 'ada' });
    expect(await world.queue.get(made.id)).toMatchObject({ kind: REPORT, submitter: 'ada' });
    expect(await room.definitions.find(made.digest)).toMatchObject({ name: 'timesheets' });

    const job = await world.claim();
    await begin(job);
    await room.log.progress(job, { rows: 2, bytes: 20, chunks: 1, total: 3, rowsPerSecond: 50 });
    expect(await room.runs.find(made.id)).toMatchObject({
      state: 'PROCESSING',
      rows: 2,
      totalRows: 3,
    });
    await room.log.finish(job, FILE);
    await world.succeed(job);
    const over = await room.runs.find(made.id);
    expect(over).toMatchObject({ state: 'SUCCEEDED', rows: 3, file: { place: 'a' } });
    expect(over?.expiresAt).toBeGreaterThan(over?.readAt ?? Infinity);
  });

  test('with one key are one run, which keeps what it was made with', async () => {
    const { runs } = world.room;
    const first = await runs.submit(newRun({ key: 'k' }));
    const second = await runs.submit(newRun({ key: 'k', job: { parameters: { county: '20' } } }));
    expect(second.id).toBe(first.id);
    expect(second.parameters).toEqual({ county: '19' });
    expect((await runs.list({})).items).toHaveLength(1);
  });

  test('leave nothing where the job is refused', async () => {
    const refused = world.room.runs.submit(newRun({ priority: 5_000 }));
    await expect(refused).rejects.toThrow('priority');
    expect((await world.room.runs.list({})).items).toEqual([]);
  });

  test('leave no job behind where their row cannot be written', async () => {
    const nameless = definitionOf('timesheets', { title: null as unknown as string });
    await expect(world.room.runs.submit(newRun({ definition: nameless }))).rejects.toThrow();
    expect((await world.queue.list({ filter: { kind: REPORT }, limit: 10 })).jobs).toEqual([]);
    expect(await world.room.definitions.find(nameless.digest)).toBeNull();
  });

  test('of an execution that has lost its lease are written by the later one alone', async () => {
    const { log, runs } = world.room;
    const { id } = await runs.submit(newRun());
    const first = await world.claim();
    await begin(first);
    const later = { ...first, epoch: first.epoch + 1 };
    expect(await begin(later, true)).toMatchObject({ resumes: 1 });
    expect(await log.finish(first, FILE)).toBeNull();
    expect(await begin(first)).toBeNull();
    expect(await runs.find(id)).toMatchObject({ sha256: null });
    expect(await log.finish(later, FILE)).toMatchObject({ sha256: FILE.sha256 });
    // Twice the same is once: the answer may have been lost.
    expect(await begin(later, true)).toMatchObject({ resumes: 1 });
  });

  test('that a schedule or a rule has made get their row from upkeep, or when they begin', async () => {
    const { job: data } = newRun();
    const { id } = await world.queue.enqueue({ kind: REPORT, data, submitter: 'service:cron' });
    expect((await world.room.runs.list({})).items).toEqual([]);
    expect(await world.room.upkeep.runOnce()).toMatchObject({ adopted: 1, ended: 0 });
    expect(await world.room.upkeep.runOnce()).toMatchObject({ adopted: 0 });
    expect((await world.room.runs.list({})).items).toMatchObject([
      { id, state: 'QUEUED', submitter: 'service:cron', correlationId: id },
    ]);
    expect(world.room.upkeep.live()).toEqual({ QUEUED: 1, PROCESSING: 0 });

    const other = await world.queue.enqueue({ kind: REPORT, data });
    await world.claim();
    const job = await world.claim();
    expect(job.id).toBe(other.id);
    expect(await begin(job)).toMatchObject({ id: other.id });
  });

  test('are shown after their job is gone, as they ended', async () => {
    const { runs, upkeep, log } = world.room;
    const good = await runs.submit(newRun());
    await world.claim().then(async (job) => {
      await begin(job);
      await log.finish(job, FILE);
      await world.succeed(job);
    });
    const bad = await runs.submit(newRun());
    await world
      .claim()
      .then((job) => world.fail(job, { code: 'source_refused', message: 'No.', retryable: false }));
    expect(await upkeep.runOnce()).toMatchObject({ ended: 2 });
    expect(await upkeep.runOnce()).toMatchObject({ ended: 0 });
    expect(world.ended).toEqual([`${good.id} SUCCEEDED`, `${bad.id} FAILED`]);
    await world.queue.remove(good.id);
    await world.queue.remove(bad.id);
    expect(await runs.find(good.id)).toMatchObject({ state: 'SUCCEEDED', rows: 3 });
    expect(await runs.find(bad.id)).toMatchObject({
      state: 'FAILED',
      error: { code: 'source_refused', message: 'No.' },
    });
  });

  test('are listed by state as their job has it, page by page', async () => {
    const { runs, upkeep } = world.room;
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await runs.submit(newRun())).id);
    const failed = { code: 'x', message: 'x', retryable: false };
    await world.fail(await world.claim(), failed);
    await upkeep.runOnce();
    // Not noted yet.
    await world.fail(await world.claim(), failed);
    const [one, two, ...waiting] = ids;
    const states = async (state: 'FAILED' | 'QUEUED') =>
      (await runs.list({ state, limit: 1 })).items.map(({ id }) => id);
    expect(await states('FAILED')).toEqual([two]);
    expect((await runs.list({ state: 'FAILED' })).items.map(({ id }) => id)).toEqual([two, one]);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof runs.list>> = await runs.list({
        state: 'QUEUED',
        limit: 2,
        ...(cursor !== null && { cursor }),
      });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    expect(seen).toEqual(waiting.toReversed());
    expect((await runs.list({ report: 'other' })).items).toEqual([]);
    expect((await runs.list({ tenants: [] })).items).toEqual([]);
    expect((await runs.list({ correlationId: 'c-1', submitter: 'ada' })).items).toHaveLength(5);
  });

  test('are cancelled while they live, and go on by a retry', async () => {
    const { runs, upkeep } = world.room;
    const made = await runs.submit(newRun());
    const canceled = await runs.cancel(made);
    expect(canceled.state).toBe('CANCELED');
    await upkeep.runOnce();
    await expect(runs.cancel(canceled)).rejects.toMatchObject({ code: 'report_run_finished' });
    const again = await runs.retry(canceled);
    expect(again).toMatchObject({ state: 'QUEUED', end: null, error: null });
    await expect(runs.retry(again)).rejects.toMatchObject({ code: 'report_run_not_retryable' });
    expect((await runs.list({ state: 'QUEUED' })).items).toHaveLength(1);
  });

  test('keep a token while they live and no longer', async () => {
    const { runs, log, upkeep } = world.room;
    const { id } = await runs.submit(
      newRun({ token: { seal: (job) => `sealed for ${job}`, expiresAt: null } }),
    );
    expect(await log.token(id)).toBe(`sealed for ${id}`);
    expect((await world.queue.get(id))?.payload).not.toContain('sealed');
    await world.fail(await world.claim(), { code: 'x', message: 'x', retryable: false });
    await upkeep.runOnce();
    expect(await log.token(id)).toBeNull();
  });

  test('keep a token no longer than it lasts itself', async () => {
    const { runs, log, sweep } = world.room;
    const kept = (): Promise<{ kept: number }[]> =>
      world.store.database.query(
        {
          name: '',
          text: 'SELECT count(*)::int AS kept FROM millrace.report_runs WHERE token IS NOT NULL',
        },
        [],
      );
    const seal = (job: string): string => `sealed for ${job}`;
    const { id } = await runs.submit(newRun({ token: { seal, expiresAt: Date.now() + 60_000 } }));
    const { id: other } = await runs.submit(
      newRun({ token: { seal, expiresAt: Date.now() + 600_000 } }),
    );
    await sweep.runOnce();
    expect([await log.token(id), await kept()]).toEqual([`sealed for ${id}`, [{ kept: 2 }]]);
    await database.script(clockAheadBy(120_000));
    expect([await log.token(id), await log.token(other)]).toEqual([null, `sealed for ${other}`]);
    await sweep.runOnce();
    expect(await kept()).toEqual([{ kept: 1 }]);
  });

  test('lose their file when its time is over, and are removed later', async () => {
    const { runs, log, sweep, upkeep } = world.room;
    const { id } = await runs.submit(newRun());
    const job = await world.claim();
    await begin(job);
    await log.finish(job, FILE);
    await world.succeed(job);
    await upkeep.runOnce();
    expect(await sweep.runOnce()).toMatchObject({ expired: 0, pruned: 0 });
    await database.script(clockAheadBy(61_000));
    expect(await sweep.runOnce()).toMatchObject({ expired: 1, pruned: 0 });
    expect(world.removed).toEqual([{ place: 'a' }]);
    expect((await runs.find(id))?.fileGoneAt).not.toBeNull();
    await database.script(clockAheadBy(2 * 86_400_000));
    expect(await sweep.runOnce()).toMatchObject({ expired: 0, pruned: 1 });
    expect((await runs.list({})).items).toEqual([]);
  });

  test('of someone, and those that name them, are forgotten with file and job', async () => {
    const { runs, log, erase, sweep } = world.room;
    const own = await runs.submit(newRun());
    const job = await world.claim();
    await begin(job);
    await log.finish(job, FILE);
    await world.succeed(job);
    const named = await runs.submit(
      newRun({ submitter: 'bob', job: { parameters: { provider: 'Ada Lovelace' } } }),
    );
    const other = await runs.submit(newRun({ submitter: 'bob' }));
    expect(await erase('ada')).toEqual({ reports: 2 });
    expect((await runs.list({})).items.map(({ id }) => id)).toEqual([other.id]);
    expect(await sweep.runOnce()).toMatchObject({ erased: 2 });
    expect(world.removed).toEqual([{ place: 'a' }]);
    for (const { id } of [own, named]) expect(await world.queue.get(id)).toBeNull();
    expect(await world.queue.get(other.id)).not.toBeNull();
  });

  test('tell whoever watches, until they are over', async () => {
    const { runs, log, watch } = world.room;
    const { id } = await runs.submit(newRun());
    const seen: string[] = [];
    const watching = (async () => {
      for await (const run of watch(id, new AbortController().signal)) {
        seen.push(`${run.state} ${run.rows ?? 0}`);
        if (seen.length === 1) {
          const job = await world.claim();
          await begin(job);
          await log.finish(job, FILE);
          await world.succeed(job);
        }
      }
    })();
    await watching;
    expect(seen.at(0)).toBe('QUEUED 0');
    expect(seen.at(-1)).toBe('SUCCEEDED 3');
  });

  test('keep the definition that they name, and others for their time', async () => {
    const { definitions, runs } = world.room;
    const used = newRun();
    await runs.submit(used);
    const unused = definitionOf('payments');
    await definitions.keep([unused]);
    expect(await definitions.find(unused.digest)).toMatchObject({ text: unused.text });
    await database.script(clockAheadBy(7_200_000));
    expect(await definitions.prune(3_600_000)).toBe(1);
    expect(await definitions.find(unused.digest)).toBeNull();
    expect(await definitions.find(used.definition.digest)).not.toBeNull();
  });
});
