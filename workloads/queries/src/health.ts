import type { CallReport } from '@millrace/marketing-cloud';
import type { HealthCheck } from '@millrace/workload-kit';

/** Whether Marketing Cloud answers, from the calls that are made anyway: a probe of its own would cost the account calls. */
export interface CloudHealth {
  onCall(call: CallReport): void;
  readonly check: HealthCheck;
}

/** One call can fail by itself. */
const FAILED_IN_A_ROW = 3;

export function createCloudHealth(): CloudHealth {
  let failed = 0;
  return {
    onCall({ status }) {
      const isAnswer = status !== null && status < 500 && status !== 401 && status !== 429;
      failed = isAnswer ? 0 : failed + 1;
    },
    check: {
      name: 'marketing_cloud',
      async run(log) {
        if (failed < FAILED_IN_A_ROW) return { status: 'ok' };
        log.warn({ failed }, 'Marketing Cloud has not answered the last calls');
        return { status: 'degraded', detail: 'Marketing Cloud does not answer.' };
      },
    },
  };
}
