import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type RunsWorld, newRun, openRunsWorld } from '../../test/runs-world.ts';
import type { ReportsConfig } from '../settings.ts';
import { runImport } from './import.ts';

const CONFIG = { keepRunsMs: 30 * 86_400_000 };

describe.each(DATABASES)('runs of another system on %s', (which) => {
  let database: TestDatabase;
  let world: RunsWorld;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    world = await openRunsWorld(database, CONFIG);
  });
  afterEach(() => world.close());

  const agoD = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const line = (more: object = {}) => ({
    id: 'JOB_001',
    report: 'timesheets',
    submitter: 'ada',
    state: 'SUCCEEDED',
    parameters: { county: 19, status: ['paid'] },
    rows: 1_204,
    createdAt: agoD(2),
    finishedAt: agoD(1),
    ...more,
  });
  const add = (more: object = {}) =>
    runImport.add(world.store.database, line(more), CONFIG as ReportsConfig);

  test('are history, once: no job has their number, and upkeep leaves them as they are', async () => {
    const added = await add();
    if (added.outcome !== 'added') throw new Error('not added');
    const failed = await add({ id: 'JOB_002', state: 'FAILED', error: 'No such column.' });
    expect(await add()).toEqual({ outcome: 'there', as: added.as });
    await world.room.upkeep.runOnce();
    await world.room.sweep.runOnce();
    expect(await world.room.runs.find(added.as)).toMatchObject({
      state: 'SUCCEEDED',
      rows: 1_204,
      submitter: 'ada',
      parameters: { county: '19', status: ['paid'] },
      correlationId: 'JOB_001',
      file: null,
    });
    const { items } = await world.room.runs.list({ state: 'FAILED' });
    expect(items).toMatchObject([
      { id: 'as' in failed && failed.as, error: { message: 'No such column.' } },
    ]);
    const own = await world.room.runs.submit(newRun());
    expect([added.as, 'as' in failed && failed.as]).not.toContain(own.id);
  });

  test('what is over its retention is left out, and what lives refused', async () => {
    expect(await add({ finishedAt: agoD(31) })).toEqual({ outcome: 'expired' });
    await expect(add({ state: 'QUEUED' })).rejects.toThrow('Only runs that are over');
    await expect(add({ county: '19' })).rejects.toThrow(/county/);
  });
});
