import type { PlanNode } from '@millrace/sql-source';
import { namesKey, namesProbe } from './texts.ts';

/**
 * How a report is read. `chunks`: a statement for each, which finds its beginning by an index. `stream`: one statement that the
 * reader cuts, for SQL that sorts, groups or counts before it gives a row: each chunk would do all of that again (GROUP BY over a
 * million rows: 1.7 s for each). A stream is as fast as chunks; chunks let the source go in between, and begin again at once.
 */
export type ReadMode = 'chunks' | 'stream';

export interface PlanDecision {
  readonly mode: ReadMode;
  /** For logs and tests. */
  readonly why: string;
}

/**
 * They hand rows on one by one, in the order in which they get them. Of a join, the first child gives the order; of the others,
 * all children do.
 */
const PASSING = new Set([
  'Limit',
  'Result',
  'ProjectSet',
  'Subquery Scan',
  'Nested Loop',
  'Hash Join',
  'Merge Join',
  'Unique',
  'Group',
  'WindowAgg',
  'Append',
  'Merge Append',
]);
const FORKS = new Set(['Append', 'Merge Append']);
const INDEX_SCANS = new Set(['Index Scan', 'Index Only Scan']);

/**
 * What a chunk may cost before its first row, of what it costs in all: the tables that it hashes, the subqueries that it runs once.
 * With this share, all chunks together cost at most a quarter more than one stream.
 */
const MOST_BEFORE = 0.2;
/** In the planner's units, about a millisecond: the way down an index is most of what a chunk of ten rows costs. */
const LITTLE = 100;

/**
 * Of the first chunk: may later ones find their place? Saves a sort of everything for nothing. `ties`: so many expressions come behind
 * the key in the order of the rows.
 */
export function decideBefore(plan: PlanNode, ties = 0): PlanDecision {
  return decide(plan, { isCondition: () => true, ties });
}

/** Of a chunk after a bound key. */
export function decideAfter(plan: PlanNode, ties = 0): PlanDecision {
  return decide(plan, { isCondition: (condition) => namesKey(condition), ties });
}

/** Nodes that make one row of several, or compute something of several. */
const GROUPING = new Set(['Aggregate', 'Group', 'Unique', 'SetOp', 'WindowAgg']);

/**
 * Of `ReportTexts.groups`: the database looks at the key before it groups. It may do so where it groups by the key, since a group has one
 * key as it compares them. A chunk that begins between `KEY` and `Key` leaves a part of that group behind, and is a group more.
 */
export function splitsGroups(plan: PlanNode, isGrouped = false): boolean {
  if (
    isGrouped &&
    Object.values(plan).some((value) => typeof value === 'string' && namesProbe(value))
  )
    return true;
  const groups = isGrouped || GROUPING.has(plan['Node Type']);
  return (plan.Plans ?? []).some((child) => splitsGroups(child, groups));
}

interface Wanted {
  readonly isCondition: (text: string) => boolean;
  readonly ties: number;
}

function decide(plan: PlanNode, wanted: Wanted): PlanDecision {
  const trouble = troubleOf(plan, wanted);
  if (trouble !== null) return { mode: 'stream', why: trouble };
  const before = costOf(plan, 'Startup Cost');
  const all = costOf(plan, 'Total Cost');
  if (before > Math.max(all * MOST_BEFORE, LITTLE)) {
    const percent = Math.round((before / all) * 100);
    return { mode: 'stream', why: `${percent} % of the cost come before the first row` };
  }
  return { mode: 'chunks', why: 'an index finds where a chunk begins' };
}

/** What keeps a chunk from beginning where the one before has ended; null: nothing. */
function troubleOf(node: PlanNode, wanted: Wanted): string | null {
  const type = node['Node Type'];
  if (INDEX_SCANS.has(type)) {
    return wanted.isCondition(textOf(node, 'Index Cond')) ? null : `${type} without the key`;
  }
  const isSorted = type === 'Aggregate' && node['Strategy'] === 'Sorted';
  if (!PASSING.has(type) && !isSorted && !isSortOfTies(node, wanted.ties)) return type;
  const children = childrenOf(node);
  const followed = FORKS.has(type) ? children : children.slice(0, 1);
  if (followed.length === 0) return type;
  for (const child of followed) {
    const trouble = troubleOf(child, wanted);
    if (trouble !== null) return trouble;
  }
  return null;
}

/** An index gives the order of the key, and the rows of one key, nearly always one, are sorted by how it is written. */
function isSortOfTies(node: PlanNode, ties: number): boolean {
  return (
    node['Node Type'] === 'Incremental Sort' &&
    countOf(node, 'Sort Key') - countOf(node, 'Presorted Key') <= ties
  );
}

function countOf(node: PlanNode, property: string): number {
  const value = node[property];
  return Array.isArray(value) ? value.length : 0;
}

/** Without the subqueries in expressions, whose rows nobody hands on. */
function childrenOf({ Plans = [] }: PlanNode): readonly PlanNode[] {
  return Plans.filter(
    (child) => !/^(InitPlan|SubPlan)$/.test(textOf(child, 'Parent Relationship')),
  );
}

function costOf(node: PlanNode, property: 'Startup Cost' | 'Total Cost'): number {
  return Number(node[property] ?? 0);
}

function textOf(node: PlanNode, property: string): string {
  const value = node[property];
  return typeof value === 'string' ? value : '';
}
