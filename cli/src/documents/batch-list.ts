import type { Batch } from '@millrace/documents/contract';
import type { Context } from '../context.ts';
import type { ExitCode } from '../line/exit.ts';
import { type HowMany, listRuns } from '../runs/list.ts';
import { doneOf } from './batch-rows.ts';
import { BATCH_STYLE } from './render/batch.ts';
import { count } from '../render/number.ts';
import type { Column } from '../render/table.ts';
import { relative } from '../render/time.ts';

/** `millrace batch list`. */
export function listBatches(context: Context, given: HowMany): Promise<ExitCode> {
  return listRuns<Batch>(context, given, {
    async page(query) {
      const { batches, next } = await context.client.listBatches({ query });
      return { runs: batches, next };
    },
    columns,
    none: 'No batches. Old ones are deleted after MILLRACE_KEEP_DOCUMENTS.',
  });
}

function columns(now: number): Column<Batch>[] {
  return [
    { header: 'BATCH', cell: ({ id }) => id },
    { header: 'STATE', cell: ({ state }) => state, style: ({ state }) => BATCH_STYLE[state] },
    { header: 'ROWS', align: 'right', cell: ({ total }) => count(total) },
    { header: 'DONE', align: 'right', cell: (batch) => count(doneOf(batch)) },
    {
      header: 'FAILED',
      align: 'right',
      cell: ({ counts }) => count(counts.failed),
      style: ({ counts }) => (counts.failed > 0 ? 'red' : 'dim'),
    },
    { header: 'TEMPLATE', leaveOut: 1, cell: ({ templateId }) => templateId },
    { header: 'MADE', leaveOut: 2, cell: ({ createdAt }) => relative(createdAt, now) },
    {
      header: 'BY',
      shrinkTo: 6,
      leaveOut: 3,
      cell: ({ submitter }) => submitter ?? '-',
      style: () => 'dim',
    },
  ];
}
