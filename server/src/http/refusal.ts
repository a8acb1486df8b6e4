import type { ErrorCode } from '@millrace/api';
import { Refusal as AnyRefusal } from '@millrace/workload-kit';

/** What the server itself refuses: the compiler knows the codes of the error table. */
export class Refusal extends AnyRefusal<ErrorCode> {}
