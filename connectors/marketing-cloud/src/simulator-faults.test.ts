import type { FaultSpec } from '@millrace/simulator-marketing-cloud';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../test/cloud.ts';
import { MID, QUERY, SQL, TARGET, start, started } from '../test/simulated.ts';

describe('a start', () => {
  const perform = '^soap:Perform';
  test.each<[string, FaultSpec, object, number]>([
    [
      'cut before it was done',
      { kind: 'cut-before', operation: perform, times: 1 },
      { outcome: 'unknown' },
      0,
    ],
    [
      'cut after it was done',
      { kind: 'cut-after', operation: perform, times: 1 },
      { outcome: 'unknown' },
      1,
    ],
    [
      'that a gateway lost',
      { kind: 'gateway-after', operation: perform, times: 1 },
      { outcome: 'unknown', code: 'http_503' },
      1,
    ],
    [
      'that is refused',
      { kind: 'perform-error', operation: perform, times: 1 },
      { outcome: 'unknown', code: '2' },
      0,
    ],
    [
      'that may not be',
      { kind: 'permission', operation: perform, times: 1 },
      { outcome: 'refused', kind: 'permission' },
      0,
    ],
  ])('%s is not sent twice', async (_what, fault, facts, tasks) => {
    const { unit, sim } = await start();
    sim.faults.add(fault);
    expect(await errorOf(started(unit))).toMatchObject(facts);
    expect(sim.unit(MID).tasks()).toHaveLength(tasks);
    expect(sim.calls.byOperation['soap:Perform QueryDefinition']).toBe(1);
  });

  test.each<FaultSpec>([
    { kind: 'token-expired', operation: perform, times: 1 },
    { kind: 'throttled', operation: perform, times: 1 },
    { kind: 'blocked', operation: perform, times: 1 },
  ])('that was not let in is sent again: $kind', async (fault) => {
    const { unit, sim } = await start();
    sim.faults.add(fault);
    const { taskId } = await started(unit);
    expect(sim.unit(MID).tasks()).toMatchObject([{ id: taskId }]);
    expect(sim.calls.byOperation['soap:Perform QueryDefinition']).toBe(2);
  });
});

describe('a create', () => {
  test.each<[string, FaultSpec['kind']]>([
    ['cut', 'cut-after'],
    ['answered by a gateway', 'gateway-after'],
  ])('whose answer was %s is found under its key', async (_what, kind) => {
    const { unit, sim } = await start();
    sim.faults.add({ kind, operation: '^soap:Create', times: 1 });
    expect(await errorOf(unit.createDataExtension(TARGET))).toMatchObject({ outcome: 'unknown' });
    expect(await errorOf(unit.createDataExtension(TARGET))).toMatchObject({ kind: 'duplicate' });
    expect(await unit.findDataExtension(TARGET.customerKey)).not.toBeNull();

    sim.faults.add({ kind, operation: '^soap:Create QueryDefinition', times: 1 });
    expect(await errorOf(unit.createQuery(QUERY))).toMatchObject({ outcome: 'unknown' });
    expect(await errorOf(unit.createQuery(QUERY))).toMatchObject({ kind: 'duplicate' });
    const found = await unit.findQuery(QUERY.customerKey);
    expect(found?.objectId).toBe(sim.unit(MID).queries()[0]?.objectId);
  });

  test('goes on without a retention, and by REST', async () => {
    const { unit, sim } = await start();
    sim.faults.add({ kind: 'retention-refused' });
    sim.faults.add({ kind: 'create-exception' });
    expect(await unit.createDataExtension({ ...TARGET, keepDays: 1 })).toMatchObject({
      retention: false,
    });
    const { objectId } = await unit.createQuery(QUERY);
    expect(sim.unit(MID).queries()).toMatchObject([
      { objectId, queryText: SQL, updateType: 'Overwrite' },
    ]);
    expect(sim.calls.byOperation['soap:Create QueryDefinition']).toBe(1);
  });
});

describe('a read', () => {
  const isrunning = 'rest:isrunning';
  test.each<FaultSpec>([
    { kind: 'cut-before', operation: isrunning, times: 1 },
    { kind: 'cut-after', operation: isrunning, times: 1 },
    { kind: 'gateway', operation: isrunning, times: 1, status: 502 },
    { kind: 'token-expired', operation: isrunning, times: 1 },
    { kind: 'blocked', operation: isrunning, times: 1 },
  ])('is sent again: $kind', async (fault) => {
    const { unit, sim } = await start();
    const { objectId } = await started(unit);
    sim.faults.add(fault);
    expect(await unit.isRunning(objectId)).toBe(false);
    expect(sim.calls.byOperation[isrunning]).toBe(2);
  });

  test('waits as long as it is asked to', async () => {
    const { unit, sim, slept } = await start();
    const { objectId } = await started(unit);
    sim.faults.add({ kind: 'throttled', operation: isrunning, times: 1, seconds: 7 });
    expect(await unit.isRunning(objectId)).toBe(false);
    expect(slept).toEqual([8_500]);
    expect(sim.calls.byOperation[isrunning]).toBe(2);
  });

  test('of rows that are not there yet is told apart', async () => {
    const { unit, sim } = await start();
    const { taskId } = await started(unit);
    await sim.taskEnded(taskId);
    sim.faults.add({ kind: 'no-rowset', times: 1 });
    expect(await errorOf(unit.rows('mr_run_1', { pageSize: 1 }))).toMatchObject({
      kind: 'notFound',
    });
    expect(await unit.rows('mr_run_1', { pageSize: 1 })).toMatchObject({ count: 5 });
    sim.faults.add({ kind: 'unknown-task', times: 1 });
    expect(await unit.taskStatuses([taskId])).toEqual([]);
  });

  test('that may not be is not sent again', async () => {
    const { unit, sim } = await start();
    sim.faults.add({ kind: 'permission' });
    const refused = { kind: 'permission', outcome: 'refused', retryable: false };
    expect(await errorOf(unit.rows('x', { pageSize: 1 }))).toMatchObject(refused);
    expect(await errorOf(unit.taskStatuses(['x']))).toMatchObject(refused);
    expect(await errorOf(unit.dataExtensions(''))).toMatchObject(refused);
    expect(await errorOf(unit.findQuery('x'))).toMatchObject(refused);
    expect(sim.calls.total).toBe(4);
  });
});
