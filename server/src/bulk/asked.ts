import type { BulkAction, BulkActionJson, JobFilter } from '@millrace/api';
import type { JobState, JobSummary, Scope } from '@millrace/engine';
import type { Bulk } from '@millrace/store-postgres';
import { causeOf, groupId } from '../figures/fingerprint.ts';

/** The request of a bulk action, as stored. */
export interface AskedBulk {
  readonly action: BulkAction;
  /** As the request had it; null: by ids. */
  readonly filter: JobFilter | null;
  /** Limits the filter to this group of errors. */
  readonly group: string | null;
  readonly priority: number | null;
}

/** The counts at the time of freezing, as stored. */
export type FrozenBulk = Pick<
  BulkActionJson,
  'matched' | 'count' | 'more' | 'leftOut' | 'causes' | 'warning'
> & { readonly sample: readonly string[] };

export type BulkResult = NonNullable<BulkActionJson['result']>;

export const NOTHING_DONE: BulkResult = {
  changed: 0,
  requested: 0,
  skipped: 0,
  failed: 0,
  failures: [],
};

// Written by this service from the same types.
export function askedOf({ asked }: Bulk): AskedBulk {
  return JSON.parse(asked) as AskedBulk;
}

export function frozenOf({ frozen }: Bulk): FrozenBulk {
  return JSON.parse(frozen) as FrozenBulk;
}

export function resultOf({ result }: Bulk): BulkResult | null {
  return result === null ? null : (JSON.parse(result) as BulkResult);
}

/** The scope of the action: that of the person who froze it. */
export function scopeOfBulk({ tenants, tenant, owner }: Bulk): Scope {
  return { tenants: tenants ?? 'all', tenant, owner };
}

/** A filter knows kinds and codes; that jobs failed of one cause is seen by their messages. */
export function isOfGroup(group: string | null | undefined): (job: JobSummary) => boolean {
  if (group == null) return () => true;
  return ({ kind, error }) =>
    error !== null && groupId(kind, error.code, causeOf(error.message)) === group;
}

const TAKES: Readonly<Record<BulkAction, readonly JobState[]>> = {
  retry: ['FAILED', 'CANCELED'],
  cancel: ['QUEUED', 'PROCESSING', 'FAILED'],
  priority: ['QUEUED'],
  delete: ['SUCCEEDED', 'FAILED', 'CANCELED'],
};

export function takes(action: BulkAction, state: JobState): boolean {
  return TAKES[action].includes(state);
}
