import type { JobId } from '@millrace/engine';
import { isId } from '@millrace/salesforce';

/** A job's id is the store's name and the record's 18 characters. */
export interface Ids {
  jobId(recordId: string): JobId;
  /** Null for ids of other stores, and for what is none. */
  recordId(id: JobId): string | null;
}

export function createIds(name: string): Ids {
  const prefix = `${name}-`;
  return {
    jobId: (recordId) => prefix + recordId,
    recordId(id) {
      const recordId = id.startsWith(prefix) ? id.slice(prefix.length) : '';
      return recordId.length === 18 && isId(recordId) ? recordId : null;
    },
  };
}

/** The proof of a worker's lease. */
export function tokenOf(recordId: string, epoch: number): string {
  return `${recordId}:${epoch}`;
}

export function ids18(items: readonly { readonly recordId: string }[]): string[] {
  return items.map(({ recordId }) => recordId);
}
