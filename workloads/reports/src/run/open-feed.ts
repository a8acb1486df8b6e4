import type { ReportCursor } from './cursor.ts';
import type { Feed } from './feed.ts';
import type { Prepared } from './prepare.ts';
import { openSqlFeed } from './sql-feed.ts';
import { openStepFeed } from './step-feed.ts';
import type { Execution } from './workshop.ts';

/** From the source, or from an earlier step of the pipeline that the report is part of. */
export function openFeed(
  execution: Execution,
  prepared: Prepared,
  from: ReportCursor | null,
): Promise<Feed> {
  const { rows } = execution.job.data;
  return rows === undefined
    ? openSqlFeed(execution, prepared, from)
    : openStepFeed(execution, prepared, { rows, from });
}
