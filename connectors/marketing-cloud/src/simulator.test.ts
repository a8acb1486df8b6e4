import { describe, expect, test } from 'vitest';
import { errorOf } from '../test/cloud.ts';
import { MID, OTHER, QUERY, ROWS, SQL, TARGET, start, started } from '../test/simulated.ts';

test('data extensions are in folders, which have names and parents', async () => {
  const { unit, sim } = await start();
  sim.unit(MID).addDataExtension({ name: 'Top', fields: [{ name: 'a' }] });
  sim
    .unit(MID)
    .addDataExtension({ name: 'Deep', folder: ['Shop', 'Old'], fields: [{ name: 'a' }] });
  const folders = new Map((await unit.folders()).map((folder) => [folder.id, folder]));
  const path = async (name: string) => {
    const found = (await unit.dataExtensions('')).find((each) => each.name === name);
    const names: string[] = [];
    let at = folders.get(found?.folderId ?? '');
    while (at !== undefined) {
      names.push(at.name);
      at = folders.get(at.parentId ?? '');
    }
    return names;
  };
  expect(await path('Top')).toEqual(['Data Extensions']);
  expect(await path('Deep')).toEqual(['Old', 'Shop', 'Data Extensions']);
});

describe('a query', () => {
  test('from its target to its rows, and away again', async () => {
    const { unit, sim, cloud, reports } = await start({ queueMs: 60_000, runMs: 60_000 });
    expect(await unit.createDataExtension({ ...TARGET, keepDays: 1 })).toMatchObject({
      retention: true,
    });
    const { objectId } = await unit.createQuery(QUERY);
    expect(sim.unit(MID).queries()[0]?.queryText).toBe(SQL);
    expect(await unit.findQuery('mr_q_1')).toMatchObject({ objectId, name: 'Query of run 1' });
    expect(await unit.findDataExtension('mr_run_1')).toMatchObject({ name: 'Result of run 1' });
    expect(await unit.fields('mr_run_1')).toMatchObject([
      { name: 'Name', type: 'Text', maxLength: 50, isRequired: true },
      { name: 'Amount', type: 'Decimal', maxLength: 18, scale: 2 },
    ]);

    const { taskId } = await unit.startQuery(objectId);
    expect(await unit.taskStatuses([taskId])).toMatchObject([{ taskId, status: 'Queued' }]);
    expect(await unit.isRunning(objectId)).toBe(false);
    sim.advance(60_000);
    expect(await unit.isRunning(objectId)).toBe(true);
    sim.advance(60_000);
    await sim.taskEnded(taskId);
    expect(await unit.taskStatuses([taskId, 'unknown'])).toMatchObject([
      { taskId, status: 'Complete', errorMsg: null },
    ]);

    const first = await unit.rows('mr_run_1', { pageSize: 2 });
    const second = await unit.rowsAfter(first.next ?? '');
    const third = await unit.rowsAfter(second.next ?? '');
    expect([first.count, third.next]).toEqual([5, null]);
    expect([...first.rows, ...second.rows, ...third.rows]).toEqual(ROWS);

    expect(await unit.deleteQuery(objectId)).toBe(true);
    expect(await unit.deleteQuery(objectId)).toBe(false);
    expect(await unit.deleteDataExtension('mr_run_1')).toBe(true);
    expect(await unit.deleteDataExtension('mr_run_1')).toBe(false);
    expect(await unit.findQuery('mr_q_1')).toBeNull();

    const { total, tokens } = sim.calls;
    expect(cloud.stats()).toMatchObject({ calls: total, tokens });
    expect(reports.reduce((sum, { requests }) => sum + requests, 0)).toBe(total);
  });

  test('without rows has none, and says so', async () => {
    const { unit, sim } = await start({ runSql: async () => ({ columns: ['Name'], rows: [] }) });
    const { taskId } = await started(unit);
    await sim.taskEnded(taskId);
    expect(await unit.rows('mr_run_1', { pageSize: 10 })).toMatchObject({
      count: 0,
      rows: [],
      next: null,
    });
  });

  test('is validated', async () => {
    const { unit } = await start();
    expect(await unit.validate('SELECT Name FROM People')).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
  });

  test('that fails fatally says nothing more', async () => {
    const { unit, sim } = await start();
    sim.faults.add({ kind: 'fatal-error' });
    const { taskId } = await started(unit);
    await sim.taskEnded(taskId);
    expect(await unit.taskStatuses([taskId])).toMatchObject([
      { status: 'FatalError', errorMsg: null },
    ]);
  });
});

test('many tasks are one call, and lists are read over all pages', async () => {
  const { unit, sim } = await start({ batchSize: 3, queueMs: 60_000 });
  await unit.createDataExtension(TARGET);
  const taskIds: string[] = [];
  for (let n = 0; n < 10; n++) {
    const { objectId } = await unit.createQuery({
      ...QUERY,
      customerKey: `mr_q_${n}`,
      name: `${n}`,
    });
    taskIds.push((await unit.startQuery(objectId)).taskId);
  }
  const before = sim.calls.byOperation['soap:Retrieve AsyncActivityStatus'] ?? 0;
  const found = await unit.taskStatuses(taskIds);
  expect(new Set(found.map(({ taskId }) => taskId))).toEqual(new Set(taskIds));
  // The simulator gives three at a time here; Marketing Cloud 2,500.
  expect(sim.calls.byOperation['soap:Retrieve AsyncActivityStatus']).toBe(before + 4);
  expect(await unit.queries('mr_q_')).toHaveLength(10);
  expect(await unit.queries('mr_q_1')).toHaveLength(1);
  expect(await unit.queries('')).toHaveLength(10);
  expect(await unit.dataExtensions('mr_')).toHaveLength(1);
});

test('a business unit sees its own alone', async () => {
  const { unit, cloud } = await start();
  await started(unit);
  const other = cloud.businessUnit(OTHER);
  expect([await other.queries(''), await other.findDataExtension('mr_run_1')]).toEqual([[], null]);
  expect(await errorOf(other.rows('mr_run_1', { pageSize: 1 }))).toMatchObject({
    kind: 'notFound',
  });
});

describe('tokens', () => {
  test('are renewed in time, and recognised by their scopes', async () => {
    const { unit, cloud, sim } = await start();
    await unit.queries('');
    sim.advance(1_050_000);
    await unit.queries('');
    expect(sim.calls).toMatchObject({ tokens: 2, total: 2 });
    sim.expireTokens();
    await unit.queries('');
    expect(sim.calls).toMatchObject({ tokens: 3, total: 4 });
    expect(await cloud.scopes(MID)).toEqual(
      expect.arrayContaining(['automations_execute', 'data_extensions_read']),
    );
  });

  test('of a bad client are asked for once', async () => {
    const { unit, sim } = await start();
    sim.faults.add({ kind: 'bad-client' });
    for (let n = 0; n < 5; n++) {
      expect(await errorOf(unit.queries(''))).toMatchObject({ code: 'invalid_client' });
    }
    expect(sim.calls).toMatchObject({ tokens: 1, total: 0 });
  });

  test("of a business unit that is not the package's are refused", async () => {
    const { cloud } = await start({
      clients: [{ clientId: 'millrace', secret: 'secret', mids: [MID] }],
    });
    expect(await errorOf(cloud.businessUnit(OTHER).queries(''))).toMatchObject({
      kind: 'session',
      outcome: 'notSent',
    });
    expect(await cloud.businessUnit(MID).queries('')).toEqual([]);
  });
});
