import type { HandlersOf } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import type { QueriesWithin } from '../within.ts';

/** The routes, for one caller. */
export function handlersOf(_queries: QueriesWithin): HandlersOf<typeof contract.routes> {
  throw new Error('The routes of queries are not there yet.');
}
