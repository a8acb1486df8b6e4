import type { Tool } from './tool.ts';
import { bulkAction, undoBulkAction } from './tools/bulk.ts';
import {
  listKinds,
  listPipelines,
  listReports,
  listTables,
  listTemplates,
} from './tools/catalogue.ts';
import { download } from './tools/download.ts';
import { cancelJob, enqueue, explainJob, listJobs, retryJob, showJob } from './tools/jobs.ts';
import { cancelRun, listRuns, showRun } from './tools/runs.ts';
import { listErrors, overview, whoami } from './tools/service.ts';
import { generateDocument, queryRows, runPipeline, runQuery, runReport } from './tools/work.ts';

/** Every tool there is; the order is that of the documentation. */
export const tools: readonly Tool[] = [
  overview,
  listErrors,
  listJobs,
  showJob,
  explainJob,
  enqueue,
  retryJob,
  cancelJob,
  bulkAction,
  undoBulkAction,
  listKinds,
  listTemplates,
  generateDocument,
  listTables,
  runQuery,
  queryRows,
  listReports,
  runReport,
  listPipelines,
  runPipeline,
  listRuns,
  showRun,
  cancelRun,
  download,
  whoami,
];
