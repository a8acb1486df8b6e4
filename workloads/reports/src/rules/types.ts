import type { OutputChoice } from '../output.ts';
import type { Given } from '../parameters/types.ts';

/** One entry of `after`: the report is made when its parents have succeeded. */
export interface AfterRule {
  /** One, or all of several. */
  readonly parents: readonly AfterParent[];
  /** How long the first of several waits for the others; null: as long as the engine has it, 7 days. */
  readonly withinMs: number | null;
  readonly parameters: Readonly<Record<string, Mapped>>;
  /** A service identity, or `parent`. */
  readonly as: string;
  readonly output: OutputChoice;
}

export interface AfterParent {
  readonly report: string;
  /** The parameter of this parent by which several belong together; null with one parent. */
  readonly match: string | null;
  /** All of them. */
  readonly when: readonly AfterCondition[];
}

/** What has to hold of a parent, or nothing follows from it. */
export interface AfterCondition {
  readonly rows: { readonly above: number | null; readonly below: number | null } | null;
  /** Of its parameters: one of the values, of which null stands for none. */
  readonly parameters: Readonly<Record<string, readonly (string | null)[]>>;
  /** It ran as this service identity. */
  readonly as: string | null;
}

/** Where the value of a child's parameter comes from. */
export type Mapped =
  | { readonly from: string; readonly parameter: string }
  | { readonly value: Given };

/** How a report follows from another, for people: nodes are reports, edges point from parent to child. */
export interface ReportGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly report: string;
  readonly title: string;
  /** How many schedules begin it. */
  readonly schedules: number;
  /** False: rules name it, and its file is not in force. */
  readonly inForce: boolean;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Edges of one child with the same number wait for each other. */
  readonly rule: number;
  readonly kind: 'one' | 'all';
  /** The parameter of the parent that several parents are matched by. */
  readonly match: string | null;
  /** A service identity, or `parent`. */
  readonly as: string;
  /** In words; null: there is none. */
  readonly when: string | null;
}
