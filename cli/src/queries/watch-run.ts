import type { Run } from '@millrace/queries/contract';
import type { Context } from '../context.ts';
import { createLive } from '../render/live.ts';
import { lasting } from '../render/time.ts';
import { type RunSight, followRun } from './follow-run.ts';
import { runLine } from './render/run.ts';

/** Shows how far a run is, on one line that changes or, in a pipe, a line for each change; gives it as it ended. */
export async function watchRun(context: Context, first: Run): Promise<Run> {
  const shower = showerFor(context);
  let last = first;
  try {
    for await (const sight of followRun(context, first)) {
      last = sight.run;
      shower.show(sight);
    }
  } finally {
    shower.end();
  }
  return last;
}

interface Shower {
  show(sight: RunSight): void;
  end(): void;
}

function showerFor({ err, json, quiet, note, world }: Context): Shower {
  if (json || quiet) return { show: () => {}, end: () => {} };
  if (!err.isLive) return logLines(note);
  const live = createLive(err);
  return {
    show({ run, silentSince }) {
      const now = world.now();
      const silence =
        silentSince === null
          ? []
          : [`The server has not answered for ${lasting(now - silentSince)}; retrying.`];
      live.draw([
        runLine(run, now, err.paint),
        ...silence.map((line) => err.paint('yellow', line)),
      ]);
    },
    end: () => live.end(),
  };
}

/** Shows Marketing Cloud's status too, because runs mostly wait for it. */
function logLines(note: Context['note']): Shower {
  let told = '';
  let isSilent = false;
  return {
    show({ run: { id, status, mceStatus, trouble = null, waitsFor = null }, silentSince }) {
      const said = trouble ?? waitsFor ?? mceStatus;
      const line = said === null ? `${id} ${status}` : `${id} ${status} (${said})`;
      if (line !== told) note(line);
      told = line;
      if (silentSince !== null && !isSilent) note('The server does not answer; retrying.');
      isSilent = silentSince !== null;
    },
    end: () => {},
  };
}
