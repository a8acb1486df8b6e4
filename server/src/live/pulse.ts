import type { Boards } from './boards/boards.ts';
import type { Interest } from './changes/interest.ts';
import { commentFrame } from './streams/frames.ts';
import type { OpenStreams } from './streams/open-streams.ts';
import type { Timers } from './timers.ts';
import type { Trouble } from './trouble.ts';

/** Periodic tasks while someone watches, here or in another process. */
export interface Pulse {
  /** Begins, unless it goes already. It ends by itself when nobody watches any more. */
  start(): void;
}

const TICK_MS = 5_000;
/** In ticks. */
const EVERY = { boards: 2, heartbeat: 3, interest: 4 };

const ALIVE = commentFrame('alive');

export function createPulse(params: {
  timers: Timers;
  streams: OpenStreams;
  boards: Boards;
  interest: Interest;
  trouble: Trouble;
  /** How many listen for workloads here. */
  listeners: () => number;
  onTick: () => void;
}): Pulse {
  const { timers, streams, boards, interest, trouble, listeners, onTick } = params;
  let ticks = 0;

  function start(): void {
    timers.once('tick', TICK_MS, tick);
  }

  function tick(): void {
    ticks += 1;
    onTick();
    for (const stream of streams) stream.check();
    const hasStreams = streams.size() > 0;
    // So that a client notices a line that is dead.
    if (ticks % EVERY.heartbeat === 0) for (const stream of streams) stream.send(ALIVE);
    if (hasStreams && ticks % EVERY.boards === 0) boards.refresh();
    const isWatched = hasStreams || listeners() > 0;
    if (isWatched && ticks % EVERY.interest === 0) void trouble.during(interest.show);
    if (isWatched || interest.isKeeping()) start();
  }

  return { start };
}
