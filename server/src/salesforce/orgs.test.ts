import { describe, expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { orgPools } from './orgs.ts';

const config = readConfig({}).salesforce;
const pools = (described: Parameters<typeof orgPools>[0], room: number | null) =>
  orgPools(
    described,
    ['document.acme'],
    new Map(room === null ? [] : [['document.acme', room]]),
    config,
  );

describe('the pool of an org', () => {
  test('claims no more than can start, by half of that at the least', () => {
    expect(pools([], 8)).toEqual([
      {
        name: 'document.acme',
        kinds: ['document.acme'],
        concurrency: 8,
        batch: 8,
        least: 4,
        together: 4,
        interval: { active: 15_000, idle: 60_000 },
      },
    ]);
    expect(pools([], 3)).toMatchObject([{ concurrency: 3, batch: 3, least: 2, together: 2 }]);
    expect(pools([], 1)).toMatchObject([{ concurrency: 1, batch: 1, least: 1, together: 1 }]);
  });

  test('is what the operator says it is, and the rest as it was', () => {
    const night = { cron: '0 22 * * *', lasts: '8h' } as const;
    const described = { name: 'acme', kinds: ['document.acme'], minPriority: 5 };
    expect(pools([{ ...described, pauseWindows: [night], concurrency: 40 }], 3)).toEqual([
      {
        ...described,
        pauseWindows: [night],
        concurrency: 40,
        batch: 20,
        least: 20,
        together: 20,
        interval: { active: 15_000, idle: 60_000 },
      },
    ]);
    const interval = { active: '1s', idle: '2s' } as const;
    expect(pools([{ ...described, batch: 2, interval }], 3)).toMatchObject([
      { name: 'acme', concurrency: 3, batch: 2, least: 2, interval, minPriority: 5 },
    ]);
  });
});
