import { wholeSeconds } from '../clock.ts';
import type { Row, Value, Values } from '../data/row.ts';
import type { Work } from '../data/work.ts';
import { ApiError, asApiError } from '../errors.ts';
import type { Org } from '../org.ts';
import type { SObject } from '../schema/types.ts';

/** Fields of `Generated_Document__c`, without their endings. */
export type DocumentField =
  | 'Attempts'
  | 'CancelRequested'
  | 'ClaimId'
  | 'CorrelationId'
  | 'Epoch'
  | 'Error'
  | 'ErrorCode'
  | 'FinishedAt'
  | 'Kind'
  | 'LeaseToken'
  | 'Live'
  | 'LockedUntil'
  | 'MaxAttempts'
  | 'PresentedToken'
  | 'Priority'
  | 'RequestJSON'
  | 'Result'
  | 'ScheduledRetryTime'
  | 'SettledToken'
  | 'StartedAt'
  | 'Status'
  | 'Subject'
  | 'Submitter'
  | 'Suspect'
  | 'Traceparent'
  | 'Worker';

export type Patch = Partial<Record<DocumentField, Value>>;

export const CLEARED_LEASE: Patch = { LeaseToken: null, LockedUntil: null, ClaimId: null };

/** What `Live__c` says of a row that waits or runs. */
export const LIVE = 'LIVE';

/** A row that starts over. */
export const CLEARED_OUTCOME: Patch = {
  Attempts: 0,
  Error: null,
  ErrorCode: null,
  ScheduledRetryTime: null,
  FinishedAt: null,
  CancelRequested: false,
  Suspect: false,
  Result: null,
};

export function canceled(now: number): Patch {
  return { Status: 'CANCELED', FinishedAt: now, ScheduledRetryTime: null, Suspect: false };
}

/** Rows of the queue as the package's Apex reads, locks and writes them. */
export interface Documents {
  readonly object: SObject;
  get(row: Row, field: DocumentField): Value;
  text(row: Row, field: DocumentField): string | null;
  number(row: Row, field: DocumentField): number | null;
  values(patch: Patch): Values;
  holds(row: Row | undefined, token: string | null): boolean;
  attemptsOf(row: Row): number;
  /** `SELECT … WHERE Id IN :ids FOR UPDATE`: waits for the rows, in the order of their ids. */
  locked(work: Work, ids: Iterable<string>): Promise<Map<string, Row>>;
  /** A lock that cannot be had means fewer rows, not an error. */
  lockedOrNone(work: Work, ids: Iterable<string>): Promise<Map<string, Row>>;
  /** Each row by itself. Gives why, for those that failed. */
  save(work: Work, changes: ReadonlyMap<string, Patch>): Promise<Map<string, string>>;
}

export function createDocuments(org: Org): Documents {
  const object = org.schema.require(org.name('Generated_Document__c'));
  const nameOf = (field: string): string => org.name(`${field}__c`);
  const get = (row: Row, field: DocumentField): Value => row[nameOf(field)] ?? null;
  const text = (row: Row, field: DocumentField): string | null => {
    const value = get(row, field);
    return typeof value === 'string' ? value : null;
  };
  const number = (row: Row, field: DocumentField): number | null => {
    const value = get(row, field);
    return typeof value === 'number' ? value : null;
  };

  function stored(name: string, value: Value): Value {
    const isMoment = object.fields.get(name.toLowerCase())?.type === 'datetime';
    if (isMoment && typeof value === 'number') return wholeSeconds(value);
    return value === '' ? null : value;
  }

  async function locked(work: Work, ids: Iterable<string>): Promise<Map<string, Row>> {
    const rows = new Map<string, Row>();
    for (const id of [...new Set(ids)].toSorted()) {
      if (work.tx.get(id) === undefined) continue;
      await work.tx.lock(id);
      const row = work.tx.get(id);
      if (row !== undefined && row['IsDeleted'] !== true) rows.set(id, row);
    }
    return rows;
  }

  const values = (patch: Patch): Values =>
    Object.fromEntries(
      Object.entries(patch).map(([field, value]) => [nameOf(field), stored(nameOf(field), value)]),
    );

  return {
    object,
    get,
    text,
    number,
    values,
    holds: (row, token) =>
      row !== undefined &&
      token !== null &&
      text(row, 'Status') === 'PROCESSING' &&
      text(row, 'LeaseToken') === token,
    attemptsOf: (row) => number(row, 'Attempts') ?? 0,
    locked,
    async lockedOrNone(work, ids) {
      try {
        return await locked(work, ids);
      } catch (thrown) {
        if (thrown instanceof ApiError) return new Map();
        throw thrown;
      }
    },
    async save(work, changes) {
      const failures = new Map<string, string>();
      for (const [id, patch] of changes) {
        const mark = work.tx.mark();
        try {
          await org.dml.update(work, object, id, values(patch));
        } catch (thrown) {
          work.tx.rollbackTo(mark);
          failures.set(id, asApiError(thrown).message);
        }
      }
      return failures;
    },
  };
}
