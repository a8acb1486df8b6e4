import type { Row } from '../data/row.ts';
import { ApiError } from '../errors.ts';
import type { SObject } from '../schema/types.ts';
import type { RestRequest } from './request.ts';

/**
 * Conditional requests look at the record before it is locked. Whoever writes in between is overwritten: this is
 * no lock. Tags exist for accounts only, dates for every record, to the second.
 */
export function checkPreconditions(request: RestRequest, object: SObject, row: Row): void {
  const since = dateOf(request, 'if-unmodified-since');
  const wanted = request.headers['if-match'];
  const tag = entityTag(object, row);
  const isStale = since !== null && modifiedAt(row) > since;
  const isOther = wanted !== undefined && tag !== null && !tagsOf(wanted).includes(tag);
  if (isStale || isOther) {
    throw new ApiError('PRECONDITION_FAILED', 'The record has changed since.', { status: 412 });
  }
}

/** For a read that says what it has: 304 when that is still it. */
export function isUnchanged(request: RestRequest, object: SObject, row: Row): boolean {
  const tag = entityTag(object, row);
  const known = request.headers['if-none-match'];
  if (known !== undefined && tag !== null) return tagsOf(known).includes(tag);
  const since = dateOf(request, 'if-modified-since');
  return since !== null && modifiedAt(row) <= since;
}

export function entityTag(object: SObject, row: Row): string | null {
  return object.name === 'Account' ? `"${modifiedAt(row).toString(36)}"` : null;
}

function tagsOf(header: string): string[] {
  return header.split(',').map((tag) => tag.trim().replace(/--gzip"$/, '"'));
}

function modifiedAt(row: Row): number {
  return Number(row['LastModifiedDate']);
}

function dateOf(request: RestRequest, name: string): number | null {
  const ms = Date.parse(request.headers[name] ?? '');
  return Number.isNaN(ms) ? null : ms;
}
