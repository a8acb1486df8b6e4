import type { ObjectStorage } from '@millrace/object-storage';
import type { Office } from '@millrace/office';
import { type HealthCheck, withinTime } from '@millrace/workload-kit';

/** An office that takes longer than this to answer serves nobody. */
const LIMIT_MS = 2_000;

/** Files that were made cannot be read, and no new one can be kept; records of an org, whose files go there, go on. */
export function storageCheck(storage: Pick<ObjectStorage, 'check' | 'place'>): HealthCheck {
  return {
    name: 'documents_storage',
    async run(log) {
      try {
        await withinTime(LIMIT_MS, undefined, (signal) => storage.check({ signal }));
        return { status: 'ok' };
      } catch (err) {
        log.warn({ err, place: storage.place }, 'the object storage of documents is not ready');
        return {
          status: 'degraded',
          detail: 'The object storage with the files of documents does not answer as it should.',
        };
      }
    },
  };
}

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
