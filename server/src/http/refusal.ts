import type { ErrorCode } from '@millrace/api';
import { Refusal as AnyRefusal } from '@millrace/workload-kit';

/** What the server itself refuses: the compiler knows the codes of the error table. */
export class Refusal extends AnyRefusal<ErrorCode> {}

const ON_PURPOSE: ReadonlySet<string> = new Set<ErrorCode>([
  'too_many_streams',
  'busy',
  'unsupported_by_store',
  'webhooks_off',
]);

/**
 * A status of 500 or more, and yet no fault of ours: callers get these by asking for more than there is room for, or for what
 * this service does not do. They are denied; a line and a stack for each would be theirs to fill the log with.
 */
export function isOnPurpose(code: string | null): boolean {
  return code !== null && ON_PURPOSE.has(code);
}
