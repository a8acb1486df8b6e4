import type { LiveEvent } from '@millrace/api';
import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { applyEvents } from './apply.ts';

function jobEvents(count: number): LiveEvent[] {
  return Array.from(
    { length: count },
    (_, n) => ({ type: 'job', job: { id: `pg-${n}` } }) as LiveEvent,
  );
}

test('a batch of events makes the jobs in it old, and looks through the cache once', () => {
  vi.useFakeTimers(); // lists are read again by a timer
  const queries = new QueryClient();
  for (const id of ['pg-7', 'pg-700']) queries.setQueryData(['job', id], {});
  queries.setQueryData(['jobs', {}], {});
  const looks = vi.spyOn(queries, 'invalidateQueries');
  applyEvents(queries)(jobEvents(100));
  const isOld = (...key: readonly unknown[]): boolean | undefined =>
    queries.getQueryState(key)?.isInvalidated;
  expect([isOld('job', 'pg-7'), isOld('job', 'pg-700'), isOld('jobs', {})]).toEqual([
    true,
    false,
    false,
  ]);
  expect(looks).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
