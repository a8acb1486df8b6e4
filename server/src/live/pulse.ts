import type { Boards } from './boards/boards.ts';
import type { Interest } from './changes/interest.ts';
import type { Ring } from './changes/ring.ts';
import type { Audience } from './streams/audience.ts';
import { commentFrame } from './streams/frames.ts';
import type { OpenStreams } from './streams/open-streams.ts';
import type { Timers } from './timers.ts';
import type { Trouble } from './trouble.ts';

/** What has to happen now and then while someone watches, here or in another process. */
export interface Pulse {
  /** Begins, unless it goes already. It ends by itself when nobody watches any more. */
  start(): void;
  /** Readers see that the line is alive, and get a place that the ring will have for another minute. */
  beat(word: string): void;
}

const TICK_MS = 5_000;
/** In ticks. */
const EVERY = { boards: 2, heartbeat: 3, interest: 4 };

export function createPulse(params: {
  timers: Timers;
  ring: Ring;
  streams: OpenStreams;
  audience: Audience;
  boards: Boards;
  interest: Interest;
  trouble: Trouble;
  onTick: () => void;
}): Pulse {
  const { timers, ring, streams, audience, boards, interest, trouble, onTick } = params;
  let ticks = 0;

  function start(): void {
    timers.once('tick', TICK_MS, tick);
  }

  function tick(): void {
    ticks += 1;
    ring.trim();
    onTick();
    for (const stream of streams) stream.check();
    const hasStreams = streams.size() > 0;
    if (ticks % EVERY.heartbeat === 0) beat('alive');
    if (hasStreams && ticks % EVERY.boards === 0) boards.refresh();
    if (hasStreams && ticks % EVERY.interest === 0) void trouble.during(interest.show);
    if (hasStreams || interest.isKeeping()) start();
    else ring.clear();
  }

  function beat(word: string): void {
    const live = new Set(audience);
    const [placed, plain] = [commentFrame(word, ring.endId()), commentFrame(word)];
    for (const stream of streams) stream.send(live.has(stream) ? placed : plain);
  }

  return { start, beat };
}
