import {
  type BusinessUnit,
  type CallOptions,
  MarketingCloudError,
} from '@millrace/marketing-cloud';
import type { QueryRunRecord } from '../runs/query-run.ts';
import type { Workshop } from '../workshop.ts';

/**
 * What became of a start whose answer was lost, or whose worker was. There is no way to ask for tasks without their id, so
 * two signs are looked for: the query runs, or there are rows in its target, which was made for it alone. A query that
 * waits in Marketing Cloud's queue shows neither, for a minute and more: therefore it is looked for some time. One that
 * ended without a row meanwhile looks like one that never began; the run then fails rather than to call it empty (docs/decisions/0025-query-polls.md).
 */
export async function look(
  run: QueryRunRecord,
  { workshop, unit, call }: { workshop: Workshop; unit: BusinessUnit; call: CallOptions },
): Promise<'runs' | 'unknown' | 'neither'> {
  const { queryDefinitionId, targetDeName, startRequestedAt, readAt } = run;
  if (queryDefinitionId !== null && (await unit.isRunning(queryDefinitionId, call))) return 'runs';
  if (targetDeName !== null && (await rowsOf(unit, targetDeName, call)) > 0) return 'runs';
  const since = readAt - (startRequestedAt ?? readAt);
  return since < workshop.config.startLookMs ? 'unknown' : 'neither';
}

async function rowsOf(unit: BusinessUnit, key: string, call: CallOptions): Promise<number> {
  try {
    return (await unit.rows(key, { ...call, pageSize: 1 })).count;
  } catch (error) {
    if (error instanceof MarketingCloudError && error.kind === 'notFound') return 0;
    throw error;
  }
}
