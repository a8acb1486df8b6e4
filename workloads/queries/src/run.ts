/** `running`: from the moment Marketing Cloud has taken the query, whatever it says of it. */
export const RUN_STATUSES = ['queued', 'running', 'ready', 'failed', 'canceled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** One query of one user, from the SQL to its rows. */
export interface Run {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  /** The business unit that it runs in. */
  readonly mid: string;
  /** The enterprise that the business unit belongs to, where it is known. */
  readonly eid: string | null;
  readonly sqlText: string;
  readonly snippetName: string | null;
  readonly status: RunStatus;
  /** What Marketing Cloud said last, as it said it: `Queued`, `Processing`, … */
  readonly mceStatus: string | null;
  readonly taskId: string | null;
  /** The ObjectID of the QueryDefinition; null in runs of the older shape until the first poll. */
  readonly queryDefinitionId: string | null;
  readonly queryCustomerKey: string | null;
  /** The key and the name of the temporary data extension. */
  readonly targetDeName: string | null;
  /** What the query gives, in the order of the SELECT list. */
  readonly columns: readonly RunColumn[] | null;
  readonly rowCount: number | null;
  readonly pollCount: number;
  /** Calls to Marketing Cloud on behalf of this run. A shared call counts as its share. */
  readonly apiCalls: number;
  readonly error: RunError | null;
  /** Why it has not begun yet, where Marketing Cloud was in the way: what the last try said. Null once it has begun. */
  readonly trouble: string | null;
  /** Of one that runs: what has to happen before it counts as over, where that is not what `mceStatus` says. */
  readonly waitsFor: string | null;
  readonly createdAt: number;
  readonly pollStartedAt: number | null;
  readonly completedAt: number | null;
  /** From then on the temporary data extension, and with it the rows, are gone. */
  readonly resultsExpireAt: number | null;
}

export interface RunColumn {
  /** As in the SELECT list. Marketing Cloud's rowset has it in lower case. */
  readonly name: string;
  readonly type: ColumnType;
}

export type ColumnType = 'text' | 'number' | 'decimal' | 'boolean' | 'date';

export interface RunError {
  readonly code: string;
  readonly message: string;
}
