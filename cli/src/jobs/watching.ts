import type { Job } from '@millrace/api';
import type { Context } from '../context.ts';
import { exitCodeFor, hasEnded } from './ended.ts';
import type { ExitCode } from '../line/exit.ts';
import { type Status, follow } from './follow.ts';
import { createOutlooks } from './outlook.ts';
import { createLive } from '../render/live.ts';
import { counted } from '../render/number.ts';
import { lasting } from '../render/time.ts';
import { watchLayout, watchLine } from '../render/watch-line.ts';

/** Watches jobs until each has ended; 1 when one of them failed or was cancelled. */
export async function watchJobs(context: Context, ids: readonly string[]): Promise<ExitCode> {
  const shower = showerFor(context);
  let last: readonly Job[] = [];
  try {
    for await (const status of follow(context, [...new Set(ids)])) {
      shower.show(status);
      last = status.jobs;
    }
  } finally {
    shower.end();
  }
  return exitCodeFor(last.map(({ state }) => state));
}

interface Shower {
  show(status: Status): void;
  end(): void;
}

function showerFor(context: Context): Shower {
  if (context.json) return jsonLines(context);
  if (context.quiet) return { show: () => {}, end: () => {} };
  return context.out.isLive ? liveLines(context) : logLines(context);
}

/** Each change, as the API gives the job. */
function jsonLines({ document }: Context): Shower {
  return {
    show({ jobs, changed }) {
      for (const job of jobs) if (changed.has(job.id)) document(job);
    },
    end: () => {},
  };
}

/** Where nothing can be redrawn: a line for each change. */
function logLines({ out, world, note }: Context): Shower {
  let silent = false;
  return {
    show({ jobs, changed, silentSince }) {
      const layout = watchLayout(jobs, out, true);
      for (const job of jobs) {
        if (changed.has(job.id)) out.line(watchLine(job, { leftMs: null }, world.now(), layout));
      }
      if (silentSince !== null && !silent) note('The server does not answer; retrying.');
      silent = silentSince !== null;
    },
    end: () => {},
  };
}

function liveLines({ out, world }: Context): Shower {
  const live = createLive(out);
  const outlook = createOutlooks();
  let last: readonly Job[] = [];

  function linesOf(jobs: readonly Job[], stays: boolean): string[] {
    const now = world.now();
    const layout = watchLayout(jobs, out, stays);
    return jobs.map((job) => watchLine(job, outlook(job, now), now, layout));
  }

  return {
    show({ jobs, silentSince }) {
      const silence =
        silentSince === null
          ? []
          : [`The server has not answered for ${lasting(world.now() - silentSince)}; retrying.`];
      live.draw([
        ...fitting(jobs, linesOf(jobs, false), out.rows - 2),
        ...silence.map((line) => out.paint('yellow', line)),
      ]);
      last = jobs;
    },
    end: () => live.end(linesOf(last, true)),
  };
}

/** Where there are more jobs than rows, those that have not ended come first. */
function fitting(jobs: readonly Job[], lines: readonly string[], rows: number): string[] {
  if (lines.length <= rows) return [...lines];
  const order = (wanted: boolean) => lines.filter((_, index) => isAlive(jobs[index]) === wanted);
  const hidden = lines.length - rows + 1;
  return [...order(true), ...order(false)]
    .slice(0, rows - 1)
    .concat(`and ${counted(hidden, 'more job')}`);
}

function isAlive(job: Job | undefined): boolean {
  return job !== undefined && !hasEnded(job.state);
}
