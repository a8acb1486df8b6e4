import { MAX_PAGE } from '@millrace/api';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { UsageError } from '../line/usage-error.ts';
import { type Column, type Table, layOut } from '../render/table.ts';

const DEFAULT_LIMIT = 20;

export interface HowMany {
  readonly limit?: number | undefined;
  readonly all?: true | undefined;
}

export interface Listed<Run> {
  page(query: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }): Promise<{ readonly runs: readonly Run[]; readonly next: string | null }>;
  columns(now: number, runs: readonly Run[]): Column<Run>[];
  /** What to say where there are none. */
  readonly none: string;
}

/** Lists runs as a table, by their ids (`--quiet`) or as JSON, page by page. */
export async function listRuns<Run extends { readonly id: string }>(
  context: Context,
  { limit, all }: HowMany,
  { page, columns, none }: Listed<Run>,
): Promise<ExitCode> {
  const { json, quiet, document, out, note, world } = context;
  if (all && limit !== undefined) throw new UsageError('Give either --limit or --all.');
  let table: Table<Run> | null = null;
  let cursor: string | undefined;
  for (let left = all ? Infinity : (limit ?? DEFAULT_LIMIT); left > 0;) {
    const { runs, next } = await page({ limit: Math.min(left, MAX_PAGE), cursor });
    left -= runs.length;
    if (json) runs.forEach(document);
    else if (quiet) runs.forEach(({ id }) => out.line(id));
    else {
      if (table === null) {
        if (runs.length === 0) {
          note(none);
          break;
        }
        table = layOut(columns(world.now(), runs), runs, out.columns, out.paint);
        out.line(table.header());
      }
      const { line } = table;
      out.write(runs.map((run) => `${line(run)}\n`).join(''));
      if (next !== null && left <= 0) note('There are more: --limit N or --all shows them.');
    }
    if (next === null) break;
    cursor = next;
  }
  return EXIT.ok;
}
