import type { Row, Values } from '../data/row.ts';
import type { Change, Trigger } from '../data/work.ts';
import { ApiError } from '../errors.ts';
import {
  CLEARED_LEASE,
  CLEARED_OUTCOME,
  type DocumentField,
  type Documents,
  LIVE,
  type Patch,
  canceled,
} from './documents.ts';

const MOVES: Readonly<Record<string, readonly string[]>> = {
  QUEUED: ['CANCELED'],
  PROCESSING: ['QUEUED', 'SUCCEEDED', 'FAILED', 'CANCELED'],
  SUCCEEDED: [],
  FAILED: ['QUEUED', 'CANCELED'],
  CANCELED: ['QUEUED'],
};
const ENDS: readonly string[] = ['SUCCEEDED', 'FAILED', 'CANCELED'];

/**
 * The package's trigger on `Generated_Document__c`. A worker proves its lease by `PresentedToken__c`; people may
 * cancel and try again, and whatever leaves PROCESSING gives up its lease. The package's own classes are trusted.
 */
export function documentTrigger(documents: Documents): Trigger {
  const { get, text, values, holds } = documents;

  return (change: Change): Values => {
    const checked = change.isApex ? {} : check(change);
    const status = checked.Status ?? text(change.next, 'Status') ?? 'QUEUED';
    return values({ ...checked, Live: ENDS.includes(String(status)) ? null : LIVE });
  };

  function check({ old, next, now }: Change): Patch {
    if (old === null) return checkNew(next);
    const token = text(next, 'PresentedToken');
    return token === null ? checkPerson(old, next, now) : checkWorker(old, next, token, now);
  }

  function checkNew(next: Row): Patch {
    const status = text(next, 'Status');
    if (status === 'PROCESSING') {
      throw refused('ILLEGAL_MOVE: a document begins as QUEUED; a worker makes it PROCESSING.');
    }
    return { PresentedToken: null, Status: status ?? 'QUEUED' };
  }

  function checkWorker(old: Row, next: Row, token: string, now: number): Patch {
    const status = text(next, 'Status') ?? '';
    if (!holds(old, token)) {
      throw refused(`STALE_LEASE: the lease ${token} no longer holds this document.`);
    }
    if (!MOVES['PROCESSING']?.includes(status)) {
      throw refused('ILLEGAL_MOVE: an outcome ends the lease, so it cannot leave PROCESSING.');
    }
    if (get(next, 'Epoch') !== get(old, 'Epoch')) {
      throw refused('LEASE_IS_THE_WORKERS: an outcome does not change Epoch__c.');
    }
    if (text(old, 'Subject') === null && text(next, 'Subject') !== null) {
      throw refused('ERASED: what this document is about was erased while it was made.');
    }
    const isCanceled =
      get(old, 'CancelRequested') === true || get(next, 'CancelRequested') === true;
    const patch: Patch = {
      ...CLEARED_LEASE,
      PresentedToken: null,
      SettledToken: token,
      CancelRequested: isCanceled,
      ...(status === 'QUEUED' && isCanceled && canceled(now)),
    };
    const isEnd = ENDS.includes(status) && get(next, 'FinishedAt') === null;
    return isEnd ? { ...patch, FinishedAt: now } : patch;
  }

  function checkPerson(old: Row, next: Row, now: number): Patch {
    if (isLeaseTouched(old, next)) {
      throw refused(
        'LEASE_IS_THE_WORKERS: Lease Token, Epoch, Settled Token and an open Locked Until are set by workers alone.',
      );
    }
    const [from, to] = [text(old, 'Status') ?? '', text(next, 'Status') ?? ''];
    if (from === to) return {};
    if (!MOVES[from]?.includes(to)) throw refused(`ILLEGAL_MOVE: from ${from} to ${to}.`);
    return {
      ...(from === 'PROCESSING' ? CLEARED_LEASE : to === 'QUEUED' && CLEARED_OUTCOME),
      ...(ENDS.includes(to) && { FinishedAt: now }),
    };
  }

  function isLeaseTouched(old: Row, next: Row): boolean {
    const closed: readonly DocumentField[] = ['LeaseToken', 'SettledToken', 'Epoch'];
    const isEmptied = get(old, 'LockedUntil') !== null && get(next, 'LockedUntil') === null;
    return (
      closed.some((field) => get(next, field) !== get(old, field)) ||
      (text(next, 'Status') === 'PROCESSING' && isEmptied)
    );
  }
}

/** What `addError` in a trigger becomes. */
function refused(message: string): ApiError {
  return new ApiError('FIELD_CUSTOM_VALIDATION_EXCEPTION', message, { fields: [] });
}
