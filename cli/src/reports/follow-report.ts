import type { ReportRun } from '@millrace/reports/contract';
import { openNews } from '../connection/news.ts';
import type { Context } from '../context.ts';
import { isTransient } from '../failure.ts';
import { hasEnded } from '../jobs/ended.ts';
import { PATIENCE_MS } from '../jobs/follow.ts';
import { nextPauseMs } from '../jobs/rhythm.ts';

/** How a run stood at one look. */
export interface ReportSight {
  readonly run: ReportRun;
  readonly changed: boolean;
  /** The server has not answered since then: what is shown is old. */
  readonly silentSince: number | null;
}

/** Looks at a run whenever it changes, until it is over. The events only wake us: the truth is in GET /reports/runs/ID. */
export async function* followReport(
  context: Context,
  first: ReportRun,
): AsyncGenerator<ReportSight> {
  const { client, world } = context;
  const params = { id: first.id };
  let run = first;
  yield { run, changed: true, silentSince: null };
  if (hasEnded(run.state)) return;
  const news = openNews(
    context,
    (options) => client.reportRunEvents({ params }, options),
    () => true,
  );
  let pauseMs: number | null = null;
  let silentSince: number | null = null;
  try {
    while (!hasEnded(run.state)) {
      pauseMs = nextPauseMs(pauseMs, { running: run.state === 'PROCESSING', dueInMs: null });
      if ((await news.next(pauseMs)) === 'still') {
        yield { run, changed: false, silentSince };
        continue;
      }
      try {
        const seen: ReportRun = await client.getReportRun({ params });
        const changed = JSON.stringify(seen) !== JSON.stringify(run);
        if (changed) pauseMs = null;
        run = seen;
        silentSince = null;
        yield { run, changed, silentSince };
      } catch (thrown) {
        silentSince ??= world.now();
        if (!isTransient(thrown) || world.now() - silentSince > PATIENCE_MS) throw thrown;
        yield { run, changed: false, silentSince };
      }
    }
  } finally {
    news.close();
  }
}
