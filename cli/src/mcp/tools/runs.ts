import { contracts } from '@millrace/api';
import { z } from 'zod';
import { few, waiting } from '../input.ts';
import { pollUntil } from '../poll-until.ts';
import { ToolRefusal } from '../refusal.ts';
import { more } from '../text.ts';
import { type Answer, type Call, answer, defineTool } from '../tool.ts';
import {
  type Status,
  batchStatus,
  bulkStatus,
  pipelineStatus,
  queryStatus,
  reportStatus,
} from './statuses.ts';

interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Long-running work by type: started by one call, then polled. */
interface RunType {
  poll(call: Call, id: string): Promise<Status>;
  list(
    call: Call,
    page: Page,
  ): Promise<{ readonly statuses: readonly Status[]; readonly next: string | null }>;
  /** Null: what it does is a job, which can be cancelled. */
  readonly cancel: ((call: Call, id: string) => Promise<unknown>) | null;
}

const RUNS = {
  query: {
    poll: async ({ client, options }, id) =>
      queryStatus(await client.getRun({ params: { id } }, options)),
    async list({ client, options }, query) {
      const { runs, next } = await client.listRuns({ query }, options);
      return { statuses: runs.map(queryStatus), next };
    },
    cancel: ({ client, options }, id) => client.cancelRun({ params: { id } }, options),
  },
  report: {
    poll: async ({ client, options }, id) =>
      reportStatus(await client.getReportRun({ params: { id } }, options)),
    async list({ client, options }, query) {
      const { runs, next } = await client.listReportRuns({ query }, options);
      return { statuses: runs.map(reportStatus), next };
    },
    cancel: ({ client, options }, id) => client.cancelReportRun({ params: { id } }, options),
  },
  pipeline: {
    poll: async ({ client, options }, id) =>
      pipelineStatus(await client.getPipelineRun({ params: { id } }, options)),
    async list({ client, options }, query) {
      const { runs, next } = await client.listPipelineRuns({ query }, options);
      return { statuses: runs.map(pipelineStatus), next };
    },
    cancel: ({ client, options }, id) => client.cancelPipelineRun({ params: { id } }, options),
  },
  batch: {
    poll: async ({ client, options }, id) =>
      batchStatus(await client.getBatch({ params: { id } }, options)),
    async list({ client, options }, query) {
      const { batches, next } = await client.listBatches({ query }, options);
      return { statuses: batches.map(batchStatus), next };
    },
    cancel: ({ client, options }, id) => client.cancelBatch({ params: { id } }, options),
  },
  bulk: {
    poll: async ({ client, options }, id) =>
      bulkStatus(await client.getBulk({ params: { id } }, options)),
    async list({ client, options }, query) {
      const { bulk, next } = await client.listBulk({ query }, options);
      return { statuses: bulk.map(bulkStatus), next };
    },
    cancel: null,
  },
} as const satisfies Record<string, RunType>;

const TYPES = [
  'query',
  'report',
  'pipeline',
  'batch',
  'bulk',
] as const satisfies readonly (keyof typeof RUNS)[];
const type = z
  .enum(TYPES)
  .describe(
    'query: "run-7", report: the id of its job, pipeline: "pipe-7", batch of documents: "batch-3", bulk action: "bulk-7".',
  );
const id = contracts.getRun.params.shape.id;

export const listRuns = defineTool({
  name: 'list_runs',
  title: 'List runs',
  about:
    'Runs of queries, reports or pipelines, batches of documents or bulk actions, newest first.',
  routes: ['listRuns', 'listReportRuns', 'listPipelineRuns', 'listBatches', 'listBulk'],
  effect: 'reads',
  input: contracts.listBulk.query.extend({ type, limit: few }),
  async run(call, { type: which, ...page }) {
    const { statuses, next } = await RUNS[which].list(call, page);
    return answer(
      [
        statuses.length === 0 ? 'None.' : `Runs: ${statuses.length}.`,
        ...statuses.map(({ lines }) => lines[0] ?? ''),
        ...more(next),
      ],
      { runs: statuses.map(({ data }) => data), next },
      { foreign: statuses.length > 0 },
    );
  },
});

export const showRun = defineTool({
  name: 'show_run',
  title: 'Show the progress of a run',
  about: 'Progress and result of a run: query, report, pipeline, batch or bulk action.',
  routes: ['getRun', 'getReportRun', 'getPipelineRun', 'getBatch', 'getBulk'],
  effect: 'reads',
  input: z.strictObject({ type, id, wait: waiting(0) }),
  run: async (call, { type: which, id: run, wait }) =>
    statusAnswer(
      await pollUntil(
        call,
        wait,
        () => RUNS[which].poll(call, run),
        ({ over }) => over,
      ),
    ),
});

export function statusAnswer({ lines, data, failed }: Status): Answer {
  return answer(lines, { run: data }, { foreign: true, failed });
}

export const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  about:
    'Stops a run of a query, report or pipeline, or a batch of documents. Needs a confirmation.',
  routes: ['cancelRun', 'cancelReportRun', 'cancelPipelineRun', 'cancelBatch'],
  effect: 'destroys',
  input: z.strictObject({ type: type.exclude(['bulk']), id }),
  async run(call, { type: which, id: run }) {
    const { poll, cancel } = RUNS[which];
    const current = await poll(call, run);
    if (current.over) throw new ToolRefusal('run_finished', `${run} is over: ${current.state}.`);
    return {
      type: 'foresight',
      question: `Stop the ${current.state} ${which === 'batch' ? 'batch' : `run of a ${which}`} ${run}?`,
      lines: current.lines,
      data: { run: current.data },
      foreign: true,
      async act(now) {
        const seen = await poll(now, run);
        if (seen.over)
          throw new ToolRefusal(
            'confirmation_stale',
            `${run} was ${current.state} and is now ${seen.state}. Nothing was changed.`,
          );
        await cancel(now, run);
        return statusAnswer({ ...(await poll(now, run)), failed: false });
      },
    };
  },
});
