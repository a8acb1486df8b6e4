import { expect, test } from 'vitest';
import { documentBudgets } from './budgets.ts';
import type { TemplateCacheStats } from './templates/cache.ts';

const office = { activeJobs: 0, queuedJobs: 0, slots: 2 };

test.each([
  [0, 0, undefined],
  [0, 3, undefined],
  [40, 59, undefined],
  [75, 25, 0.75],
])('a cache with %i hits and %i misses has the rate %s', (hits, misses, hitRate) => {
  const stats = { hits, misses, currentSize: 1 } as TemplateCacheStats;
  const cache = documentBudgets(office, stats).find(({ id }) => id === 'documents:template-cache');
  expect(cache?.hitRate).toBe(hitRate);
});
