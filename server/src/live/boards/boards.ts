import type { Topic } from '@millrace/api';
import type { Clock, Events, Log } from '@millrace/engine';
import type { MainStore } from '../../stores/parts.ts';
import { createQueueBoard } from './queue-board.ts';
import type { Frame } from '../streams/frames.ts';
import type { Stream } from '../streams/stream.ts';
import { createTimers } from '../timers.ts';
import { createTrouble } from '../trouble.ts';
import { createWorkerBoard } from './worker-board.ts';

/** The state of queue and workers, read once for all streams, and sent to those whose last one differs. */
export interface Boards {
  /** Reads what a new stream will be sent. Throws when the store does not answer. */
  read(topics: ReadonlySet<Topic>): Promise<void>;
  /** The boards of a stream's full state; later only differences are sent. */
  begin(stream: Stream): readonly Frame[];
  /** Jobs have changed, so the counts may have. */
  countSoon(): void;
  /** Reads all boards again, now. */
  refresh(): void;
  /** Reads the counts again; gives a number that changes whenever they have changed. */
  count(): Promise<number>;
  close(): void;
}

const COUNT_EVERY_MS = 1_000;
/** A worker says what state it is in before its report is written. */
const REPORTED_AFTER_MS = 1_000;

export function createBoards(params: {
  store: MainStore;
  events: Events;
  clock: Clock;
  log: Log;
  /** The streams to send changes to; those that have not begun get theirs when they do. */
  audience: Iterable<Stream>;
  /** A replica stopped reporting without saying that it stops. */
  onVanished: () => void;
}): Boards {
  const { store, events, clock, log, audience, onVanished } = params;
  const trouble = createTrouble(log, 'Live events of queue and workers');
  const timers = createTimers(clock);
  const queue = createQueueBoard(store);
  const workers = createWorkerBoard(store, onVanished);
  let countedAt = -Infinity;

  const unlisten = events.on('worker.state', ({ worker, state }) => {
    workers.enter(worker, state);
    sendToAll();
    timers.once('report', REPORTED_AFTER_MS, () => void quietly(() => workers.refresh()));
  });

  function framesOf({ topics, filter }: Stream): readonly Frame[] {
    return [
      ...(topics.has('queue') ? queue.frames(filter) : []),
      ...(topics.has('worker') ? workers.frames(filter) : []),
    ];
  }

  function tell(stream: Stream): void {
    const { board } = stream;
    if (board === null) return;
    const frames = framesOf(stream);
    stream.board = frames;
    for (const frame of frames) if (!board.includes(frame)) stream.send(frame);
  }

  function sendToAll(): void {
    queue.trim([...audience].map(({ filter }) => filter));
    for (const stream of audience) tell(stream);
  }

  async function count(): Promise<number> {
    countedAt = clock.now();
    await queue.refresh();
    sendToAll();
    return queue.version();
  }

  function quietly(read: () => Promise<unknown>): Promise<void> {
    return trouble.during(async () => {
      await read();
      sendToAll();
    });
  }

  return {
    async read(topics) {
      await Promise.all([
        topics.has('queue') && queue.refresh(),
        topics.has('worker') && workers.refresh(),
      ]);
    },
    begin: (stream) => (stream.board = framesOf(stream)),
    countSoon() {
      const ms = Math.max(0, countedAt + COUNT_EVERY_MS - clock.now());
      timers.once('count', ms, () => void quietly(count));
    },
    refresh: () => void quietly(() => Promise.all([count(), workers.refresh()])),
    count,
    close() {
      unlisten();
      timers.clear();
    },
  };
}
