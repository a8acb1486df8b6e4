import { expect } from 'vitest';
import type { TestDatabase } from '../../../stores/postgres/test/stores.ts';
import { Killed, type World, openWorld } from './world.ts';

/**
 * Processes that end at a contact with the outside, in a run with a condition, a failure that is passed over and a join. Each of
 * these takes one point, and says whether the process came that far.
 */

const DIAMOND = `
title: Diamond
steps:
  a: { query: { name: a } }
  b: { query: { name: b }, after: a, when: { a.rows: { above: 0 } } }
  c: { query: { name: c }, after: a, onFailure: continue }
  d: { query: { name: d, rows: b }, after: [b, c] }
  e: { query: { name: e }, when: { a.rows: { above: 100 } } }
`;
export const DONE = 'SUCCEEDED a=done b=done c=failed d=done e=skipped';
export const WHEN = ['before', 'after'] as const;
type When = (typeof WHEN)[number];

export async function openDiamond(database: TestDatabase): Promise<World> {
  const world = await openWorld(database);
  world.files.set('diamond', DIAMOND);
  const { behaviours } = world.things;
  behaviours.set('a', { output: { rows: 2 } });
  behaviours.set('c', { fails: () => ({ code: 'broken', message: 'No.' }) });
  return world;
}

/** What no job carries on any more is for upkeep to find. */
export async function settleDown(world: World): Promise<void> {
  await world.finish();
  await world.upkeep();
  await world.finish();
}

/** How often each step was begun. */
export function begun(world: World): number[] {
  return ['a', 'b', 'c', 'd', 'e'].map((name) => world.things.of(name).length);
}

async function liveJobs(world: World, id: string): Promise<number> {
  const states = ['QUEUED', 'PROCESSING'] as const;
  const found = await Promise.all(
    states.map((state) => world.queue.list({ filter: { correlationId: id, state }, limit: 10 })),
  );
  return found.flatMap(({ jobs }) => jobs).length;
}

export async function killWorker(world: World, point: number, when: When): Promise<boolean> {
  world.things.all.length = 0;
  const id = await world.submit('diamond');
  world.killAt(point, when);
  await world.finish();
  if (world.contacts() < point) return false;
  await settleDown(world);
  expect([point, await world.sight(id)]).toEqual([point, DONE]);
  expect([point, begun(world), await liveJobs(world, id)]).toEqual([point, [1, 1, 1, 1, 0], 0]);
  return true;
}

export async function killSubmission(world: World, point: number, when: When): Promise<boolean> {
  world.things.all.length = 0;
  world.killAt(point, when);
  const made = await world.submit('diamond').catch((error: unknown) => {
    expect(error).toBeInstanceOf(Killed);
    return null;
  });
  // What a worker meets later is for `killWorker`.
  if (made !== null) return false;
  world.restart();
  await settleDown(world);
  const { items } = await world.pipelines.runs.list({ limit: 1 });
  const [newest] = items;
  const sight = newest === undefined ? 'none' : await world.sight(newest.id);
  expect(sight).toBeOneOf(['none', DONE]);
  expect(begun(world)).toBeOneOf([
    [0, 0, 0, 0, 0],
    [1, 1, 1, 1, 0],
  ]);
  return true;
}

/** A run whose steps b and c are under way. */
async function halfWay(world: World): Promise<string> {
  world.things.all.length = 0;
  world.things.behaviours.set('b', { looks: 40 });
  world.things.behaviours.set('c', { looks: 40 });
  const id = await world.submit('diamond');
  while (world.things.all.length < 3) await world.step();
  return id;
}

export async function killCancel(world: World, point: number, when: When): Promise<boolean> {
  const id = await halfWay(world);
  world.killAt(point, when);
  await world.pipelines.runs.cancel(id).catch(() => {});
  const isKilled = world.contacts() >= point;
  world.restart();
  const state = (await world.sight(id)).split(' ')[0];
  if (state === 'PROCESSING') await world.pipelines.runs.cancel(id);
  await world.upkeep();
  await world.finish();
  expect([point, await world.sight(id)]).toEqual([
    point,
    'CANCELED a=done b=canceled c=canceled d=canceled e=canceled',
  ]);
  const left = ['b', 'c'].flatMap((name) =>
    world.things.of(name).map(({ canceled }) => canceled > 0),
  );
  expect([point, left, await liveJobs(world, id)]).toEqual([point, [true, true], 0]);
  return isKilled;
}

/** The worker is killed, and the run is cancelled. */
export async function killAndCancel(world: World, point: number, when: When): Promise<void> {
  world.things.all.length = 0;
  world.things.behaviours.set('a', { looks: 40 });
  const id = await world.submit('diamond');
  world.killAt(point, when);
  await world.step();
  world.restart();
  await world.pipelines.runs.cancel(id);
  await world.finish();
  await world.upkeep();
  await world.finish();
  expect([point, await world.sight(id)]).toEqual([
    point,
    'CANCELED a=canceled b=canceled c=canceled d=canceled e=canceled',
  ]);
  expect([point, world.things.all.filter(({ canceled }) => canceled === 0)]).toEqual([point, []]);
}

export async function killResume(world: World, point: number, when: When): Promise<boolean> {
  world.things.all.length = 0;
  const { behaviours, of } = world.things;
  const broken = { code: 'broken', message: 'No.' };
  behaviours.set('b', { fails: (thing) => (of('b').indexOf(thing) === 0 ? broken : null) });
  const id = await world.submit('diamond');
  await world.finish();
  expect(await world.sight(id)).toBe('FAILED a=done b=failed c=failed d=waiting e=waiting');
  world.killAt(point, when);
  const isKilled = await world.pipelines.runs.resume(id).then(
    () => false,
    () => true,
  );
  if (isKilled) world.restart();
  await world.finish();
  if (world.contacts() < point && !isKilled) return false;
  await settleDown(world);
  if ((await world.sight(id)).startsWith('FAILED')) {
    await world.pipelines.runs.resume(id);
    await settleDown(world);
  }
  expect([point, await world.sight(id)]).toEqual([point, DONE]);
  expect([point, begun(world), await liveJobs(world, id)]).toEqual([point, [1, 2, 1, 1, 0], 0]);
  return true;
}
