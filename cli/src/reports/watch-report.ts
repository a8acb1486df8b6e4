import type { ReportRun } from '@millrace/reports/contract';
import type { Context } from '../context.ts';
import { createLive } from '../render/live.ts';
import { lasting } from '../render/time.ts';
import { type ReportSight, followReport } from './follow-report.ts';
import { logLine, runLine } from './render/run.ts';

/** Shows how far a run is, on one line that changes or, in a pipe, a line for each tenth; gives it as it ended. */
export async function watchReport(context: Context, first: ReportRun): Promise<ReportRun> {
  const shower = showerFor(context);
  let last = first;
  try {
    for await (const sight of followReport(context, first)) {
      last = sight.run;
      shower.show(sight);
    }
  } finally {
    shower.end();
  }
  return last;
}

interface Shower {
  show(sight: ReportSight): void;
  end(): void;
}

function showerFor({ err, json, quiet, note, world }: Context): Shower {
  if (json || quiet) return { show: () => {}, end: () => {} };
  if (!err.isLive) return logLines(note);
  const live = createLive(err);
  return {
    show({ run, silentSince }) {
      const silence =
        silentSince === null
          ? []
          : [`The server has not answered for ${lasting(world.now() - silentSince)}; retrying.`];
      live.draw([
        runLine(run, world.now(), err.paint),
        ...silence.map((line) => err.paint('yellow', line)),
      ]);
    },
    end: () => live.end(),
  };
}

function logLines(note: Context['note']): Shower {
  let told = '';
  let isSilent = false;
  return {
    show({ run, silentSince }) {
      const line = logLine(run);
      if (line !== told) note(line);
      told = line;
      if (silentSince !== null && !isSilent) note('The server does not answer; retrying.');
      isSilent = silentSince !== null;
    },
    end: () => {},
  };
}
