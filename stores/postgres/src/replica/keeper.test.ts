import { createVirtualTime } from '@millrace/testkit';
import { expect, test } from 'vitest';
import type { Rollup } from '../figures.ts';
import { createKeeper } from './keeper.ts';

const ROW = { succeeded: 1 } as unknown as Rollup;

function createWorld(keep: () => Promise<void> = async () => {}) {
  const time = createVirtualTime();
  const kept: { at: number; version: number; rows: number }[] = [];
  let waiting: Rollup[] = [];
  let taken: Rollup[] = [];
  const lines: string[] = [];
  const keeper = createKeeper({
    counting: {
      take() {
        taken = waiting;
        waiting = [];
        return taken;
      },
      untake: () => void (waiting = [...taken, ...waiting]),
      written: () => {},
    },
    figures: {
      async keep({ version, rollups }) {
        kept.push({ at: time.now(), version, rows: rollups.length });
        await keep();
      },
    },
    replica: 'r',
    clock: time.process(),
    outage: {
      failed: (error) => lines.push(String(error)),
      fine: () => lines.push('fine'),
    },
  });
  return {
    keeper,
    kept,
    lines,
    count() {
      waiting.push(ROW);
      keeper.soon();
    },
    run: (ms: number) => time.run(time.now() + ms),
  };
}

test('after a quiet time it writes within a second, and then every ten', async () => {
  const { kept, count, run } = createWorld();
  count();
  await run(900);
  expect(kept).toEqual([]);
  for (let n = 0; n < 30; n += 1) {
    await run(1_000);
    count();
  }
  await run(30_000);
  expect(kept.map(({ at }) => at)).toEqual([1_000, 11_000, 21_000, 31_000]);
  expect(kept.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
  expect(kept.reduce((sum, { rows }) => sum + rows, 0)).toBe(31);
  count();
  await run(1_000);
  expect(kept).toHaveLength(5);
});

test('what could not be written is sent again, and each try reported', async () => {
  let isAway = true;
  const { kept, lines, count, run } = createWorld(async () => {
    if (isAway) throw new Error('away');
  });
  count();
  await run(15_000);
  count();
  await run(20_000);
  isAway = false;
  await run(10_000);
  expect(kept.at(-1)?.rows).toBe(2);
  expect(lines).toEqual(['Error: away', 'Error: away', 'Error: away', 'Error: away', 'fine']);
});

test('the end writes what is left, and waits for no store that does not answer', async () => {
  const { keeper, kept, count } = createWorld();
  count();
  await keeper.close();
  expect(kept).toMatchObject([{ rows: 1 }]);
  const stuck = createWorld(() => new Promise(() => {}));
  stuck.count();
  const closed = stuck.keeper.close();
  await stuck.run(3_000);
  await closed;
});
