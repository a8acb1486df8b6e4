import type { PlanNode } from '@millrace/sql-source';

/**
 * How a report is read. `chunks`: a statement for each, which finds its beginning by an index. `stream`: one statement that the
 * reader cuts, for SQL that groups, sorts or counts before it gives its first row: each chunk of it would do all of that again.
 */
export type ReadMode = 'chunks' | 'stream';

/**
 * By the planner's own costs: all chunks together may cost so much more than the stream. A chunk that has to sort or to group costs
 * nearly as much as the whole, so 100 of them are far beyond it; one that finds its place by an index, hardly more than its share.
 */
const MOST_TIMES_THE_STREAM = 2;

export function modeOf(
  stream: PlanNode,
  chunk: PlanNode,
  { rowsInChunk }: { readonly rowsInChunk: number },
): ReadMode {
  const chunks = Math.ceil(stream['Plan Rows'] / rowsInChunk);
  // It fits in one: a stream of it is that chunk.
  if (chunks <= 1) return 'stream';
  return costOf(chunk) * chunks <= costOf(stream) * MOST_TIMES_THE_STREAM ? 'chunks' : 'stream';
}

function costOf(plan: PlanNode): number {
  return Number(plan['Total Cost']);
}

/** A join that makes NULLs of columns that are NOT NULL in their table. */
export function hasOuterJoin({ Plans = [], ...node }: PlanNode): boolean {
  const join = node['Join Type'];
  const isOuter = typeof join === 'string' && /^(Left|Right|Full)$/.test(join);
  return isOuter || Plans.some(hasOuterJoin);
}
