import type { WorkloadContract } from '@millrace/workload-kit/contract';
import { catalog, catalogContracts, catalogField } from './catalog.ts';
import { errors } from './errors.ts';
import { failures } from './failures.ts';
import { metrics } from './metrics.ts';
import { resultContracts, resultPage } from './results.ts';
import { run, runContracts, runEvent, runStatus } from './runs.ts';
import { snippet, snippetContracts } from './snippets.ts';
import { sqlContracts, sqlProblem, sqlReport } from './sql.ts';
import { column, columnType } from './values.ts';

export type { Catalog, CatalogField } from './catalog.ts';
export { failures } from './failures.ts';
export { FORMATS, type Format, type ResultPage } from './results.ts';
export { type Run, runStatus, stateOf } from './runs.ts';
export type { Snippet } from './snippets.ts';
export type { SqlProblem, SqlReport } from './sql.ts';

/** All that server, command line and console know of the queries. Safe in a browser. */
export const contract = {
  routes: {
    ...runContracts,
    ...resultContracts,
    ...snippetContracts,
    ...sqlContracts,
    ...catalogContracts,
  },
  groups: [
    {
      name: 'Runs',
      about: 'A query on Marketing Cloud, from its SQL to its rows. A run waits without a worker.',
      contracts: { ...runContracts, ...resultContracts },
    },
    {
      name: 'Snippets',
      about: 'SQL under a name: yours, or shared with everybody of the tenant.',
      contracts: snippetContracts,
    },
    {
      name: 'SQL',
      about: 'What helps to write a query: checks, layout, and what there is to query.',
      contracts: { ...sqlContracts, ...catalogContracts },
    },
  ],
  schemas: {
    asked: { RunStatus: runStatus },
    given: {
      Run: run,
      RunEvent: runEvent,
      RunStatus: runStatus,
      ResultPage: resultPage,
      ResultColumn: column,
      ColumnType: columnType,
      Snippet: snippet,
      SqlProblem: sqlProblem,
      SqlReport: sqlReport,
      Catalog: catalog,
      CatalogField: catalogField,
    },
  },
  errors,
  failures,
  metrics,
  topics: { run: runEvent },
} as const satisfies WorkloadContract;
