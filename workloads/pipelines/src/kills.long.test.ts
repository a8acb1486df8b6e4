import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import {
  WHEN,
  killAndCancel,
  killCancel,
  killResume,
  killSubmission,
  killWorker,
  openDiamond,
} from '../test/kills.ts';
import type { World } from '../test/world.ts';

/** Processes that end at any contact with the outside, between every two steps and within them; some of them in kills.test.ts. */

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await openDiamond(database);
});
afterEach(() => world.close());

/** At every point that the process comes to. Gives how many there are. */
async function everywhere(killAt: (point: number) => Promise<boolean>): Promise<number> {
  for (let points = 0; ; points += 1) if (!(await killAt(points + 1))) return points;
}

describe('a worker that is killed', () => {
  test.each(WHEN)(
    '%s any contact with the outside leaves a run that ends as it would have, and begins nothing twice',
    { timeout: 180_000 },
    async (when) => {
      // Five steps, each with a take, the files, a note before and after the start, looks, an end and the settling.
      expect(await everywhere((point) => killWorker(world, point, when))).toBeGreaterThan(35);
    },
  );

  test.each(WHEN)(
    '%s any contact of a submission leaves a run that ends, or none',
    { timeout: 60_000 },
    async (when) => {
      expect(await everywhere((point) => killSubmission(world, point, when))).toBeGreaterThan(0);
    },
  );
});

describe('a process that is killed', () => {
  test.each(WHEN)(
    '%s any contact of a cancel leaves a run that ends cancelled, with nothing left running',
    { timeout: 120_000 },
    async (when) => {
      expect(await everywhere((point) => killCancel(world, point, when))).toBeGreaterThan(4);
    },
  );

  test.each(WHEN)(
    '%s any contact of the work of a run that is cancelled meanwhile leaves nothing running',
    { timeout: 120_000 },
    async (when) => {
      for (let point = 1; point <= 12; point += 1) await killAndCancel(world, point, when);
    },
  );

  test.each(WHEN)(
    '%s any contact of a resume leaves a run that goes on, or one that can be resumed',
    { timeout: 180_000 },
    async (when) => {
      expect(await everywhere((point) => killResume(world, point, when))).toBeGreaterThan(20);
    },
  );
});
