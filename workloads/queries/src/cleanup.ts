import { type BusinessUnit, MarketingCloudError } from '@millrace/marketing-cloud';
import type { Log } from '@millrace/engine';
import { QueryError } from './errors.ts';
import type { QueryRunRecord } from './runs/query-run.ts';
import type { RunStore } from './runs/store.ts';

/** Removes what runs have made in Marketing Cloud. What cannot be deleted now is left to the sweeper. */
export interface Cleanup {
  /** Of a run that is over: its query definition; and its target, unless that has results that have not expired. */
  after(run: QueryRunRecord): Promise<void>;
  /** Of the first try of a run that has a second. */
  discard(firstTry: QueryRunRecord): Promise<void>;
}

export function createCleanup(parts: {
  runs: Pick<RunStore, 'queryGone' | 'targetGone'>;
  businessUnit: (mid: string) => BusinessUnit;
  log: Log;
}): Cleanup {
  const { runs, businessUnit, log } = parts;

  /** Never throws for what Marketing Cloud, or an account that is no longer set, refuses. */
  async function quietly(run: QueryRunRecord, work: (unit: BusinessUnit) => Promise<void>) {
    try {
      await work(businessUnit(run.mid));
    } catch (error) {
      if (!(error instanceof MarketingCloudError || error instanceof QueryError)) throw error;
      log.warn({ run: run.id, why: error.message }, 'What a run made could not be deleted yet');
    }
  }

  return {
    async after(run) {
      if (run.finishedAt === null) return;
      await quietly(run, async (unit) => {
        if (run.queryGoneAt === null) {
          await deleteQuery(unit, run);
          await runs.queryGone(run);
        }
        if (run.targetGoneAt === null && isExpired(run)) {
          await deleteTarget(unit, run);
          await runs.targetGone(run);
        }
      });
    },
    discard: (run) =>
      quietly(run, async (unit) => {
        await deleteQuery(unit, run);
        await deleteTarget(unit, run);
      }),
  };
}

export function isExpired({ resultsExpireAt, readAt }: QueryRunRecord): boolean {
  return resultsExpireAt !== null && resultsExpireAt <= readAt;
}

/** By its id, or by its key where an execution was cut off before the id was kept. */
async function deleteQuery(unit: BusinessUnit, run: QueryRunRecord): Promise<void> {
  const { queryDefinitionId, queryCustomerKey, correlationId } = run;
  if (queryDefinitionId === null && (queryCustomerKey === null || !hasBegun(run))) return;
  const call = { correlationId };
  const objectId =
    queryDefinitionId ?? (await unit.findQuery(queryCustomerKey ?? '', call))?.objectId;
  if (objectId !== undefined) await unit.deleteQuery(objectId, call);
}

async function deleteTarget(unit: BusinessUnit, run: QueryRunRecord): Promise<void> {
  const { targetDeName, correlationId } = run;
  if (targetDeName !== null && hasBegun(run))
    await unit.deleteDataExtension(targetDeName, { correlationId });
}

/** Before its columns are kept, a run makes nothing; one of the older shape was started without them. */
function hasBegun({ columns, taskId }: QueryRunRecord): boolean {
  return columns !== null || taskId !== null;
}
