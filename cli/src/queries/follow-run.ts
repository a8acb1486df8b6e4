import type { Run } from '@millrace/queries/contract';
import { openNews } from '../connection/news.ts';
import type { Context } from '../context.ts';
import { isTransient } from '../failure.ts';
import { PATIENCE_MS } from '../jobs/follow.ts';
import { nextPauseMs } from '../jobs/rhythm.ts';

/** How a run stood at one look. */
export interface RunSight {
  readonly run: Run;
  readonly changed: boolean;
  /** The server has not answered since then: what is shown is old. */
  readonly silentSince: number | null;
}

export function hasEnded({ status }: Pick<Run, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}

const WAITING = { running: false, dueInMs: null };

/** Looks at a run whenever it changes, until it is over. The events only wake us: the truth is in GET /runs/ID. */
export async function* followRun(context: Context, first: Run): AsyncGenerator<RunSight> {
  const { client, world } = context;
  const params = { id: first.id };
  let run = first;
  yield { run, changed: true, silentSince: null };
  if (hasEnded(run)) return;
  const news = openNews(
    context,
    (options) => client.runEvents({ params }, options),
    () => true,
  );
  let pauseMs: number | null = null;
  let silentSince: number | null = null;
  try {
    while (!hasEnded(run)) {
      pauseMs = nextPauseMs(pauseMs, WAITING);
      if ((await news.next(pauseMs)) === 'still') {
        yield { run, changed: false, silentSince };
        continue;
      }
      try {
        const seen: Run = await client.getRun({ params });
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
