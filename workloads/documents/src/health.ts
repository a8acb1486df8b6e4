import type { Office } from '@millrace/office';
import type { HealthCheck } from '@millrace/workload-kit';

/** An office that takes longer than this to answer serves nobody. */
const LIMIT_MS = 2_000;

/** Without it documents are made as DOCX, and nothing else is worse. */
export function officeCheck(office: Pick<Office, 'check'>): HealthCheck {
  return {
    name: 'office',
    async run(log) {
      const late = new Promise<null>((resolve) => {
        setTimeout(() => resolve(null), LIMIT_MS).unref();
      });
      const found = await Promise.race([office.check().catch(() => null), late]);
      if (found?.ok === true) return { status: 'ok' };
      log.warn({ office: found }, 'the office is not ready');
      return { status: 'degraded', detail: found?.detail ?? 'LibreOffice does not answer.' };
    },
  };
}
