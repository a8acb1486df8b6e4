import { ERRORS, type ErrorCode, isErrorCode } from '@millrace/api';
import { Refusal as AnyRefusal } from '@millrace/workload-kit';

/** A refusal by the server itself; the compiler checks its code against the error table. */
export class Refusal extends AnyRefusal<ErrorCode> {}

/** The error table says which refusals are no fault of ours, though their status is 500 or more. */
export function isOnPurpose(code: string | null): boolean {
  return code !== null && isErrorCode(code) && 'denied' in ERRORS[code];
}
