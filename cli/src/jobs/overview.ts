import type { Context } from '../context.ts';
import type { ExitCode } from '../line/exit.ts';
import { isTransient } from '../failure.ts';
import { openNews } from '../connection/news.ts';
import { createLive } from '../render/live.ts';
import { headLine, kindLines, replicaLines } from '../render/overview.ts';
import { type Snapshot, endedPerSecond, takeSnapshot } from './snapshot.ts';

const MOVING_MS = 1_000;
const STILL_MS = 3_000;

/** The whole service, whenever its counts or workers change, until Ctrl-C. */
export async function watchService(context: Context): Promise<ExitCode> {
  const { client, world } = context;
  const show = showerFor(context);
  let before = await takeSnapshot(client, world.now);
  const news = openNews(
    context,
    (options) => client.events({ query: { topics: 'queue,worker' } }, options),
    ({ type }) => type === 'queue' || type === 'worker',
  );
  try {
    show.snapshot(before, null);
    for (let moves = true; ;) {
      if ((await news.next(moves ? MOVING_MS : STILL_MS)) === 'still') continue;
      const after = await takeUnlessSilent(context);
      moves = after !== null && hasMoved(before, after);
      if (after === null) show.silence();
      else show.snapshot(after, before);
      before = after ?? before;
    }
  } finally {
    news.close();
    show.end();
  }
}

/** A server that restarts is waited for: whoever watches wants to see it come back. */
async function takeUnlessSilent({ client, world }: Context): Promise<Snapshot | null> {
  try {
    return await takeSnapshot(client, world.now);
  } catch (thrown) {
    if (isTransient(thrown)) return null;
    throw thrown;
  }
}

function hasMoved(before: Snapshot, after: Snapshot): boolean {
  return (
    after.states.PROCESSING > 0 || JSON.stringify(before.counts) !== JSON.stringify(after.counts)
  );
}

interface Shower {
  snapshot(now: Snapshot, before: Snapshot | null): void;
  silence(): void;
  end(): void;
}

function showerFor(context: Context): Shower {
  const { document, json, out } = context;
  if (json) return { snapshot: (now) => document(now), silence: () => {}, end: () => {} };
  return out.isLive ? liveOverview(context) : loggedOverview(context);
}

function blockOf({ out, url }: Context, now: Snapshot, before: Snapshot | null): string[] {
  const perSecond = before === null ? 0 : endedPerSecond(before, now);
  return [
    headLine(url, now, perSecond, out),
    '',
    ...kindLines(now, out),
    '',
    ...replicaLines(now, out),
  ];
}

function liveOverview(context: Context): Shower {
  const { out } = context;
  const live = createLive(out);
  let lines: string[] = [];
  return {
    snapshot(now, before) {
      lines = blockOf(context, now, before);
      live.draw([...lines, '', out.paint('dim', `${now.at.slice(11, 19)} UTC, Ctrl-C ends`)]);
    },
    silence() {
      live.draw([...lines, '', out.paint('yellow', 'The server does not answer; retrying.')]);
    },
    end: () => live.end(lines),
  };
}

/** Where nothing can be redrawn: a block whenever the counts have changed. */
function loggedOverview(context: Context): Shower {
  const { out, note } = context;
  return {
    snapshot(now, before) {
      if (before !== null && JSON.stringify(before.counts) === JSON.stringify(now.counts)) return;
      out.line([now.at, ...blockOf(context, now, before), ''].join('\n'));
    },
    silence: () => note('The server does not answer; retrying.'),
    end: () => {},
  };
}
