import type { BulkActionJson } from '@millrace/api';
import type { Batch } from '@millrace/documents/contract';
import type { PipelineRun } from '@millrace/pipelines/contract';
import type { Run } from '@millrace/queries/contract';
import type { ReportRun } from '@millrace/reports/contract';
import { hasEnded as jobEnded } from '../../jobs/ended.ts';
import { plain, present, quoted } from '../text.ts';
import { bulkBrief, bulkLines, isOver } from './bulk.ts';

/** How a run of any type stands, in words and as data. */
export interface Status {
  readonly id: string;
  readonly state: string;
  readonly over: boolean;
  readonly failed: boolean;
  readonly lines: readonly string[];
  readonly data: Record<string, unknown>;
}

type Trouble = { readonly code: string; readonly message: string } | null;

export function queryStatus(run: Run): Status {
  const { id, status, rowCount, error, trouble } = run;
  const rows = rowCount === null ? '' : `, ${rowCount} rows`;
  return {
    id,
    state: status,
    over: jobEnded(run.state),
    failed: status === 'failed',
    lines: [
      `${id} ${status}${rows}${errorWords(error)}`,
      ...(trouble == null ? [] : [`It waits: ${quoted(trouble)}`]),
    ],
    data: present({
      id,
      status,
      rowCount,
      sql: plain(run.sqlText, 500),
      snippet: run.snippetName,
      mid: run.mid,
      columns: run.columns,
      apiCalls: run.apiCalls,
      submitter: run.submitter,
      createdAt: run.createdAt,
      finishedAt: run.finishedAt,
      resultsExpireAt: run.resultsExpireAt,
      error: errorData(error),
    }),
  };
}

export function reportStatus(run: ReportRun): Status {
  const { id, report, state, progress, result, error } = run;
  const far =
    result !== null
      ? `, ${result.rows} rows, ${result.bytes} bytes in ${quoted(result.fileName)}`
      : progress === null
        ? ''
        : `, ${progress.rows} rows${progress.percent === null ? '' : `, ${progress.percent} %`}`;
  return {
    id,
    state,
    over: jobEnded(state),
    failed: state === 'FAILED',
    lines: [`${id} ${state} report ${report}${far}${errorWords(error)}`],
    data: present({
      id,
      report,
      state,
      parameters: run.parameters,
      format: run.format,
      submitter: run.submitter,
      createdAt: run.createdAt,
      finishedAt: run.finishedAt,
      progress,
      result,
      error: errorData(error),
    }),
  };
}

export function pipelineStatus(run: PipelineRun): Status {
  const { id, pipeline, state, steps } = run;
  const stepLines = steps.map((step) => {
    const { name, type, progress, thing, error } = step;
    const far = progress === null ? '' : `, ${progress.done} of ${progress.total ?? '?'}`;
    return `step ${name} (${type}) ${step.state}${far}${thing === null ? '' : `, ${thing.id}`}${errorWords(error)}`;
  });
  return {
    id,
    state,
    over: jobEnded(state),
    failed: state === 'FAILED',
    lines: [`${id} ${state} pipeline ${pipeline}`, ...stepLines],
    data: present({
      id,
      pipeline,
      state,
      parameters: run.parameters,
      submitter: run.submitter,
      createdAt: run.createdAt,
      finishedAt: run.finishedAt,
      steps: steps.map(({ name, type, state: at, progress, thing, output, error }) =>
        present({
          name,
          type,
          state: at,
          progress,
          thing: thing?.id,
          output,
          error: errorData(error),
        }),
      ),
    }),
  };
}

export function batchStatus(batch: Batch): Status {
  const { id, state, total, counts } = batch;
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return {
    id,
    state,
    over: state === 'FINISHED' || state === 'CANCELED',
    failed: false,
    lines: [
      `${id} ${state} batch of ${total} documents: ${parts.map(([name, count]) => `${count} ${name}`).join(', ')}`,
    ],
    data: present({
      id,
      state,
      total,
      counts,
      templateId: batch.templateId,
      submitter: batch.submitter,
      createdAt: batch.createdAt,
      finishedAt: batch.finishedAt,
      expiresAt: batch.expiresAt,
    }),
  };
}

export function bulkStatus(bulk: BulkActionJson): Status {
  return {
    id: bulk.id,
    state: bulk.state,
    over: isOver(bulk),
    failed: bulk.state === 'failed',
    lines: bulkLines(bulk),
    data: bulkBrief(bulk),
  };
}

function errorWords(error: Trouble): string {
  return error === null ? '' : `, ${error.code} ${quoted(error.message)}`;
}

function errorData(error: Trouble): object | null {
  return error && { code: error.code, message: plain(error.message, 1_000) };
}
