import type { HandlersOf } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import type { QueriesWithin } from '../within.ts';
import { catalogHandlers } from './catalog.ts';
import { resultHandlers } from './results.ts';
import { runHandlers } from './runs.ts';
import { snippetHandlers } from './snippets.ts';
import { sqlHandlers } from './sql.ts';

/** Every route of queries, for one caller. */
export function handlersOf(queries: QueriesWithin): HandlersOf<typeof contract.routes> {
  return {
    ...runHandlers(queries),
    ...resultHandlers(queries),
    ...snippetHandlers(queries),
    ...sqlHandlers(queries),
    ...catalogHandlers(queries),
  };
}
