import type { CallReport } from '@millrace/marketing-cloud';
import type { HealthCheck } from '@millrace/workload-kit';

/** Whether Marketing Cloud answers, from the calls that are made anyway: a probe of its own would cost the account calls. */
export interface CloudHealth {
  onCall(call: Pick<CallReport, 'mid' | 'status' | 'errorCode'>): void;
  readonly check: HealthCheck;
}

/** One call can fail by itself. */
const FAILED_IN_A_ROW = 3;
/** A wrong secret does not become right: the first refusal says all. */
const REFUSALS: readonly (string | null)[] = ['invalid_client', 'token_refused'];

export function createCloudHealth(): CloudHealth {
  let failed = 0;
  const refusedMids = new Set<string>();
  return {
    onCall({ mid, status, errorCode }) {
      if (REFUSALS.includes(errorCode)) refusedMids.add(mid);
      else if (status !== null) refusedMids.delete(mid);
      const isAnswer = status !== null && status < 500 && status !== 401 && status !== 429;
      failed = isAnswer ? 0 : failed + 1;
    },
    check: {
      name: 'marketing_cloud',
      async run(log) {
        if (refusedMids.size > 0) {
          const mids = [...refusedMids].join(', ');
          return {
            status: 'degraded',
            detail: `Marketing Cloud refuses a token for ${mids}: check MCE_CLIENT_ID, MCE_CLIENT_SECRET and MCE_MIDS.`,
          };
        }
        if (failed < FAILED_IN_A_ROW) return { status: 'ok' };
        log.warn({ failed }, 'Marketing Cloud has not answered the last calls');
        return { status: 'degraded', detail: 'Marketing Cloud does not answer.' };
      },
    },
  };
}
