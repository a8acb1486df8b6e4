import type { FailureEntry } from '@millrace/workload-kit/contract';

/** Why a run failed. */
export const failures = {} as const satisfies Record<string, FailureEntry>;
