import type { ServiceIdentity } from '@millrace/workload-kit';

export type { ServiceIdentity };

/**
 * On whose behalf a report reads, as it stood when its job was made: it is kept with the job, and the row rules of the report
 * are applied to it and to nothing else.
 */
export interface ReportIdentity {
  /** Of a person, or `service:` and the name of a service identity. */
  readonly name: string;
  /** What stays the same when the name changes; null for a service. */
  readonly subject: string | null;
  /** The service identity of services.yaml; null for a person. */
  readonly service: string | null;
  /** Those of the token. */
  readonly roles: readonly string[];
  /** Of the token, those that the report and what follows from it as its parent need. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
}

/** One entry of `rows`. */
export interface RowRule {
  /** Any of these; null: whatever the roles are. */
  readonly roles: readonly string[] | null;
  /** Each claim has one of the values. */
  readonly when: Readonly<Record<string, readonly string[]>>;
  readonly see: 'all' | 'nothing' | readonly RowCondition[];
}

/** Rows whose column has one of the claim's values, or one of those that the file names. */
export type RowCondition =
  | { readonly column: string; readonly claim: string }
  | { readonly column: string; readonly is: readonly string[] };

/** What someone sees of a report. */
export type RowDecision =
  | { readonly see: 'everything' }
  /** `why`: a sentence for whoever asked. */
  | { readonly see: 'nothing'; readonly why: string }
  /** All of them hold for a row that is seen. */
  | { readonly see: 'some'; readonly where: readonly RowFilter[] };

export interface RowFilter {
  readonly column: string;
  /** Never empty. */
  readonly values: readonly string[];
}

/** A decision as SQL about a subquery that gives the rows: constant text, and what to bind. */
export interface RowSql {
  /** Such as `"county_id" = ANY (current_setting('rp._rows_0')::int4[])`; null: no condition. */
  readonly where: string | null;
  /** By the name after `rp.`. */
  readonly bind: Readonly<Record<string, string>>;
  /** The same, one by one, for the inside of the SQL (`rowsInside`). */
  readonly inside: readonly { readonly column: string; condition(expression: string): string }[];
}
