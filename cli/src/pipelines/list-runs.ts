import { type Client, MAX_PAGE } from '@millrace/api';
import type { PipelineRun } from '@millrace/pipelines/contract';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { UsageError } from '../line/usage-error.ts';
import { type Table, layOut } from '../render/table.ts';
import { runColumns } from './render/run.ts';

const DEFAULT_LIMIT = 20;

export interface ListWishes {
  readonly pipeline?: string;
  readonly state?: PipelineRun['state'];
  readonly submitter?: string;
  readonly since?: (now: number) => string;
  readonly limit?: number;
  readonly all?: true;
}

export async function listRuns(context: Context, given: ListWishes): Promise<ExitCode> {
  const { limit, all, since, pipeline, state, submitter } = given;
  if (all && limit !== undefined) throw new UsageError('Give either --limit or --all.');
  const tell = showerFor(context);
  const createdAfter = since?.(context.world.now());
  const query = { pipeline, state, submitter, createdAfter };
  const most = all ? Infinity : (limit ?? DEFAULT_LIMIT);
  for await (const page of pagesOf(context.client, query, most)) tell(page);
  return EXIT.ok;
}

interface Page {
  readonly runs: readonly PipelineRun[];
  readonly more: boolean;
}

type Query = NonNullable<NonNullable<Parameters<Client['listPipelineRuns']>[0]>['query']>;

async function* pagesOf(client: Client, filter: Query, limit: number): AsyncGenerator<Page> {
  let cursor: string | undefined;
  for (let left = limit; left > 0;) {
    const query = { ...filter, limit: Math.min(left, MAX_PAGE), cursor };
    const { runs, next } = await client.listPipelineRuns({ query });
    left -= runs.length;
    yield { runs, more: next !== null && left <= 0 };
    if (next === null) return;
    cursor = next;
  }
}

function showerFor({ json, quiet, document, out, note, world }: Context): (page: Page) => void {
  if (json) return ({ runs }) => runs.forEach(document);
  if (quiet) return ({ runs }) => runs.forEach(({ id }) => out.line(id));
  let table: Table<PipelineRun> | null = null;
  return ({ runs, more }) => {
    if (table === null) {
      if (runs.length === 0) return note('No runs. "millrace pipeline run PIPELINE" starts one.');
      table = layOut(runColumns(world.now(), runs), runs, out.columns, out.paint);
      out.line(table.header());
    }
    out.write(runs.map((run) => `${table?.line(run)}\n`).join(''));
    if (more) note('There are more: --limit N or --all shows them.');
  };
}
