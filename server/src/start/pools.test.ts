import { expect, test } from 'vitest';
import { mergedPools } from './work.ts';

const REPORTS = { name: 'reports', kinds: ['report'], concurrency: 2 };
const PIPELINES = { name: 'pipelines', kinds: ['step', 'start'] };

test('a kind that the operator names leaves the pool of its workload', () => {
  const own = [{ name: 'default' }, { name: 'reports', kinds: ['report'], minPriority: 5 }];
  expect(mergedPools(own, [REPORTS])).toEqual(own);
  const some = [{ name: 'mine', kinds: ['step'] }];
  expect(mergedPools(some, [REPORTS, PIPELINES])).toEqual([
    ...some,
    REPORTS,
    { name: 'pipelines', kinds: ['start'] },
  ]);
});

test('a name that a workload’s pool has is refused with what to do', () => {
  expect(() => mergedPools([{ name: 'reports', kinds: ['mine'] }], [REPORTS])).toThrow(
    'MILLRACE_POOLS: the pool "reports" has the kind "report" by itself.',
  );
});
