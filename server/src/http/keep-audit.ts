import type { Clock, Log } from '@millrace/engine';
import type { AuditLog } from '@millrace/store-postgres';
import { runChore } from '../workloads/chore.ts';

// Not every hour: a replica that comes and goes with the work may never live that long. It looks at 2,000 rows along the primary key.
const EVERY_MS = 5 * 60_000;

/** Forgets what was done longer ago than it is kept. Every replica does so; what is gone is gone. Gives what ends it. */
export function keepAudit(params: {
  readonly audit: Pick<AuditLog, 'prune'>;
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Log;
}): () => Promise<void> {
  const { audit, keepMs, log } = params;
  const stop = runChore(
    {
      name: 'audit',
      everyMs: EVERY_MS,
      async runOnce() {
        const { count, more } = await audit.prune({ keepMs });
        if (count > 0) log.info({ count }, 'old entries of the audit log were forgotten');
        return { more };
      },
    },
    params,
  );
  return async () => stop();
}
