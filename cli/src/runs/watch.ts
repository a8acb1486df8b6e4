import type { Context } from '../context.ts';
import { createLive } from '../render/live.ts';
import { lasting } from '../render/time.ts';
import { type Followed, type Status, follow } from './follow.ts';

export interface Watched<Run> extends Followed<Run> {
  /** For a terminal, drawn again and again; no more than `rows`. */
  lines(run: Run, rows: number): string[];
  /** For a log, a line for each part of the run: it is written whenever it is another one. */
  log(run: Run): readonly (readonly [part: string, line: string])[];
  /** The last lines stay on the screen. */
  readonly stays?: true;
}

/** Shows how far a run is, on lines that change or, in a pipe, by a line for each change; gives it as it ended. */
export async function watchRun<Run>(
  context: Context,
  first: Run,
  watched: Watched<Run>,
): Promise<Run> {
  const shower = showerFor(context, watched);
  let last = first;
  try {
    for await (const status of follow(context, first, watched)) {
      last = status.run;
      shower.show(status);
    }
  } finally {
    shower.end(last);
  }
  return last;
}

interface Shower<Run> {
  show(status: Status<Run>): void;
  end(last: Run): void;
}

function showerFor<Run>(context: Context, watched: Watched<Run>): Shower<Run> {
  const { err, json, quiet } = context;
  if (json || quiet) return { show: () => {}, end: () => {} };
  if (!err.isLive) return logLines(context, watched);
  const live = createLive(err);
  return {
    show({ run, silentSince }) {
      const silence = silenceLines(context, silentSince);
      // The last row is the cursor's.
      live.draw([...watched.lines(run, err.rows - 1 - silence.length), ...silence]);
    },
    end: (last) => (watched.stays ? live.end(watched.lines(last, Infinity)) : live.end()),
  };
}

/** Where the server has not answered since then: what is shown is old. */
export function silenceLines({ err, world }: Context, silentSince: number | null): string[] {
  if (silentSince === null) return [];
  const since = lasting(world.now() - silentSince);
  return [err.paint('yellow', `The server has not answered for ${since}; retrying.`)];
}

function logLines<Run>({ note }: Context, watched: Watched<Run>): Shower<Run> {
  const written = new Map<string, string>();
  let isSilent = false;
  return {
    show({ run, silentSince }) {
      for (const [part, line] of watched.log(run)) {
        if (line !== written.get(part)) note(line);
        written.set(part, line);
      }
      if (silentSince !== null && !isSilent) note('The server does not answer; retrying.');
      isSilent = silentSince !== null;
    },
    end: () => {},
  };
}
