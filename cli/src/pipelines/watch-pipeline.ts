import type { PipelineRun } from '@millrace/pipelines/contract';
import type { Context } from '../context.ts';
import { type Sight, sightsOf } from '../jobs/sights.ts';
import { createLive } from '../render/live.ts';
import { lasting } from '../render/time.ts';
import { hasEnded } from './ended.ts';
import { stepLog } from './render/log.ts';
import { runView } from './render/view.ts';

/** Shows how far a run is, with a line for each step that changes or, in a pipe, a line for each change; gives it as it ended. */
export async function watchPipeline(context: Context, first: PipelineRun): Promise<PipelineRun> {
  const { client } = context;
  const params = { id: first.id };
  const shower = showerFor(context);
  let last = first;
  try {
    const sights = sightsOf<PipelineRun>(context, first, {
      look: () => client.getPipelineRun({ params }),
      events: (options) => client.pipelineRunEvents({ params }, options),
      hasEnded,
    });
    for await (const sight of sights) {
      last = sight.seen;
      shower.show(sight);
    }
  } finally {
    shower.end(last);
  }
  return last;
}

interface Shower {
  show(sight: Sight<PipelineRun>): void;
  end(last: PipelineRun): void;
}

function showerFor({ err, json, quiet, note, world }: Context): Shower {
  if (json || quiet) return { show: () => {}, end: () => {} };
  if (!err.isLive) return logLines(note);
  const live = createLive(err);
  const view = (run: PipelineRun, rows: number): string[] =>
    runView(run, { now: world.now(), columns: err.columns, rows, paint: err.paint });
  return {
    show({ seen, silentSince }) {
      const silence =
        silentSince === null
          ? []
          : [`The server has not answered for ${lasting(world.now() - silentSince)}; retrying.`];
      live.draw([
        // The last row is the cursor's.
        ...view(seen, err.rows - 1 - silence.length),
        ...silence.map((line) => err.paint('yellow', line)),
      ]);
    },
    // What stays on the screen has every step.
    end: (last) => live.end(view(last, Infinity)),
  };
}

function logLines(note: Context['note']): Shower {
  const told = new Map<string, string>();
  let isSilent = false;
  return {
    show({ seen, silentSince }) {
      for (const step of seen.steps) {
        const line = stepLog(seen.id, step);
        if (line === null || line === told.get(step.name)) continue;
        note(line);
        told.set(step.name, line);
      }
      if (silentSince !== null && !isSilent) note('The server does not answer; retrying.');
      isSilent = silentSince !== null;
    },
    end: () => {},
  };
}
