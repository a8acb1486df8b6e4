import { type Client, MAX_PAGE } from '@millrace/api';
import { type Batch } from '@millrace/documents/contract';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { doneOf } from './follow-batch.ts';
import { BATCH_STYLE } from './render/batch.ts';
import { count } from '../render/number.ts';
import { type Column, type Table, layOut } from '../render/table.ts';
import { relative } from '../render/time.ts';
import { UsageError } from '../line/usage-error.ts';

const DEFAULT_LIMIT = 20;

/** `millrace batch list`. */
export async function listBatches(
  context: Context,
  { limit, all }: { readonly limit?: number; readonly all?: true },
): Promise<ExitCode> {
  if (all && limit !== undefined) throw new UsageError('Give either --limit or --all.');
  const show = showerFor(context);
  const most = all ? Infinity : (limit ?? DEFAULT_LIMIT);
  for await (const page of pagesOf(context.client, most)) show(page);
  return EXIT.ok;
}

interface Page {
  readonly batches: readonly Batch[];
  readonly more: boolean;
}

async function* pagesOf(client: Client, limit: number): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let left = limit; left > 0;) {
    const query = { limit: Math.min(left, MAX_PAGE), cursor };
    const { batches, next } = await client.listBatches({ query });
    left -= batches.length;
    yield { batches, more: next !== null && left <= 0 };
    if (next === null) return;
    cursor = next;
  }
}

function showerFor({ json, quiet, document, out, note, world }: Context): (page: Page) => void {
  if (json) return ({ batches }) => batches.forEach(document);
  if (quiet) return ({ batches }) => batches.forEach(({ id }) => out.line(id));
  let table: Table<Batch> | null = null;
  return ({ batches, more }) => {
    if (table === null) {
      if (batches.length === 0)
        return note('No batches. Old ones are deleted after MILLRACE_KEEP_DOCUMENTS.');
      table = layOut(columns(world.now()), batches, out.columns, out.paint);
      out.line(table.header());
    }
    out.write(batches.map((batch) => `${table?.line(batch)}\n`).join(''));
    if (more) note('There are more: --limit N or --all shows them.');
  };
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
