import type { LiveEvent } from '@millrace/api';
import type { QueryClient } from '@tanstack/react-query';
import { keys } from '../data/keys.ts';

/** Lists are read again this often at most, however much happens. */
const LISTS_MS = 2_000;

/**
 * Live events into what pages show. Details are patched in place, at once; lists, counts and figures are read again, at
 * most every two seconds, and only those that somebody looks at.
 */
export function applyEvents(queries: QueryClient): (events: readonly LiveEvent[]) => void {
  const dirty = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const refresh = (): void => {
    timer = null;
    for (const name of dirty) void queries.invalidateQueries({ queryKey: [name] });
    dirty.clear();
  };
  const stale = (...names: readonly string[]): void => {
    for (const name of names) dirty.add(name);
    timer ??= setTimeout(refresh, LISTS_MS);
  };

  return (events) => {
    const jobs = new Set<string>();
    for (const event of events) {
      switch (event.type) {
        case 'job':
          jobs.add(event.job.id);
          break;
        case 'queue':
          queries.setQueryData(keys.counts(), event);
          stale('overview', 'errors');
          break;
        case 'worker':
          stale('replicas', 'overview');
          break;
        case 'more':
          stale('jobs', 'overview', 'batches', 'report-runs', 'pipeline-runs');
          break;
        case 'hello':
          void queries.invalidateQueries();
          break;
        case 'live':
          break;
        default:
          // Runs of queries, reports and pipelines: their topics are the first part of their keys.
          stale(`${event.type}-runs`, event.type);
      }
    }
    if (jobs.size === 0) return;
    // The list of jobs patches itself (`pages/jobs`): a list that moves while somebody reads it is worse than an old one.
    stale('batches', 'overview');
    // One look through the cache for all of them.
    void queries.invalidateQueries({
      predicate: ({ queryKey: [name, id] }) => name === 'job' && jobs.has(String(id)),
    });
  };
}
