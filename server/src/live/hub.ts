import type { ServerResponse } from 'node:http';
import type { Clock, Events, JobId, JobSummary, Log } from '@millrace/engine';
import type { Announcements } from '@millrace/store-postgres';
import { systemClock } from '../clock.ts';
import { CORRELATION_HEADER } from '../http/correlation.ts';
import { Refusal } from '../http/refusal.ts';
import type { MainStore } from '../stores/parts.ts';
import { createAnnouncer } from './announcer.ts';
import { createAudience } from './audience.ts';
import { createBoards } from './boards.ts';
import { begin, resume } from './catch-up.ts';
import { createFeed } from './feed.ts';
import { createFinder } from './finder.ts';
import { type StreamFilter, topicsOf, watchedOf } from './filter.ts';
import { commentFrame } from './frames.ts';
import { createPoll } from './poll.ts';
import { createPresent } from './present.ts';
import { KEEP_MS, createRing } from './ring.ts';
import { shared } from './shared.ts';
import { type Stream, createStream } from './stream.ts';
import { createTimers } from './timers.ts';
import { createTrouble } from './trouble.ts';

/**
 * Live events. While someone watches, each process announces which jobs it has changed (announcer). All hear all
 * announcements in the same order, read the jobs (feed), keep them for a minute (ring) and give them to their
 * streams (audience). A new stream is told the present state, then what has happened since (catch-up), and joins.
 * Why there is no log of events: docs/decisions/0005-live-events.md.
 */
export interface Hub {
  /** Answers the request with a stream. Throws before anything is sent if there cannot be one. */
  open(params: OpenParams): Promise<void>;
  streams(): number;
  /** How many were closed because their readers were too slow. */
  dropped(): number;
  /** Ends all streams, and tells the other processes what is left to tell. */
  close(): Promise<void>;
}

export interface OpenParams {
  readonly response: ServerResponse;
  readonly filter: StreamFilter;
  /** Of the last event that the reader has had. */
  readonly lastEventId: string | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  readonly correlationId: string;
  /** Sent along. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HubParams {
  readonly store: MainStore;
  readonly announcements: Announcements;
  readonly events: Events;
  /** Unique over all processes and starts. */
  readonly processId: string;
  readonly log: Log;
  /** False in a process without the route: it announces, but keeps nothing for readers. */
  readonly serves?: boolean;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly onDropped?: () => void;
}

const MOST_STREAMS = 10_000;
const TICK_MS = 5_000;
/** In ticks. */
const EVERY = { boards: 2, heartbeat: 3, interest: 4 };
const POLL_EVERY_MS = 2_000;
const END_WITHIN_MS = 1_000;

export function createHub(params: HubParams): Hub {
  const { store, announcements, events, processId, log } = params;
  const { serves = true, clock = systemClock, now = Date.now, onDropped } = params;
  const trouble = createTrouble(log, 'Live events');
  const timers = createTimers(clock);
  const ring = createRing(clock);
  const audience = createAudience();
  const streams = new Set<Stream>();
  const announcer = createAnnouncer({ announcements, events, clock, processId, log });
  const finder = createFinder({ ring, clock, beacon: announcer.beacon });
  const poll = createPoll(store);
  const presentOf = createPresent({ store, ring, onRead: poll.shown });
  const boards = createBoards({
    store,
    events,
    clock,
    log,
    audience,
    onVanished: () => feed.gap(),
  });
  const feed = createFeed({
    store,
    ring,
    clock,
    trouble,
    processId,
    watched: () => watchedOf([...streams].map(({ filter }) => filter)),
    look,
    onBatches(batches, found) {
      poll.told(found);
      for (const { mark } of batches) finder.heard(mark);
      const cost = audience.tell(batches, found);
      if (ring.length() === batches.length) beat('a place to go on from');
      return cost;
    },
    onGap(found) {
      boards.refresh();
      void quietly(announcer.beacon);
      return audience.tellGap(found);
    },
  });
  let opening = 0;
  let dropped = 0;
  let heardAt = -Infinity;
  let ticks = 0;
  let countsSeen: number | null = null;
  let arrived = announcements.arrive();
  let isClosed = false;
  let onLastClosed: () => void = () => {};

  /** Shorter than others go on announcing: who keeps a ring can rely on them. */
  const isKeeping = (): boolean => serves && clock.now() - heardAt < KEEP_MS;

  const stopListening = [
    announcements.listen((announcement) => {
      if (announcement.type === 'interest') return hear();
      if (!isKeeping()) return;
      feed.take(announcement);
      if (streams.size > 0) boards.countSoon();
    }),
    // A `control` hint also comes after the connection to the store was lost: notifications may have been missed.
    store.watch(({ type }) => {
      if (type !== 'control') return;
      announcer.doubt();
      followOthers();
      if (isKeeping()) feed.gap();
    }),
  ];

  function hear(): void {
    const wasDeaf = !isKeeping();
    heardAt = clock.now();
    announcer.hear();
    if (!serves || isClosed) return;
    if (wasDeaf) ring.clear();
    if (wasDeaf && streams.size > 0) feed.gap();
    timers.once('tick', TICK_MS, tick);
    followOthers();
  }

  /** They are heard, or looked at. Which of the two can change while the process runs, and nobody knows when it did. */
  function followOthers(): void {
    if (!isKeeping()) return;
    const arrive = announcements.arrive();
    if (arrive !== arrived) feed.gap();
    arrived = arrive;
    if (!arrive) timers.once('poll', POLL_EVERY_MS, pollOnce);
  }

  const showInterest = shared(async () => {
    await announcements.announce({ announcement: { type: 'interest' } });
    hear();
    if (ring.endId() === null) await announcer.beacon();
  });

  function tick(): void {
    ticks += 1;
    ring.trim();
    followOthers();
    for (const stream of streams) stream.check();
    if (ticks % EVERY.heartbeat === 0) beat('alive');
    if (streams.size > 0 && ticks % EVERY.boards === 0) boards.refresh();
    if (streams.size > 0 && ticks % EVERY.interest === 0) void quietly(showInterest);
    if (streams.size > 0 || isKeeping()) timers.once('tick', TICK_MS, tick);
    else ring.clear();
  }

  /** Readers see that the line is alive, and get a place that the ring will have for another minute. */
  function beat(word: string): void {
    const live = new Set(audience);
    const [placed, plain] = [commentFrame(word, ring.endId()), commentFrame(word)];
    for (const stream of streams) stream.send(live.has(stream) ? placed : plain);
  }

  function pollOnce(): void {
    if (!isKeeping() || announcements.arrive()) return;
    feed.poll();
    timers.once('poll', POLL_EVERY_MS, pollOnce);
  }

  /** What others did and was not seen shows in the counts. */
  async function look(watched: readonly JobId[]): Promise<{ jobs: JobSummary[]; more: boolean }> {
    const counts = await boards.count();
    const jobs = await poll.runOnce(watched);
    const more = countsSeen !== null && countsSeen !== counts;
    countsSeen = counts;
    return { jobs, more };
  }

  async function quietly(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      trouble.fine();
    } catch (error) {
      trouble.failed(error);
    }
  }

  async function open(asked: OpenParams): Promise<void> {
    if (isClosed) throw stopping();
    if (streams.size + opening >= MOST_STREAMS) throw tooMany();
    opening += 1;
    try {
      const lead = await prepare(asked);
      if (asked.response.destroyed) return;
      if (isClosed) throw stopping();
      void lead(start(asked));
    } finally {
      opening -= 1;
    }
  }

  /**
   * Does everything that can fail, before a byte is sent, so that a failure can still be answered with a status.
   * Gives the function that leads a stream from there to the present.
   */
  async function prepare({ filter, lastEventId }: OpenParams) {
    if (streams.size === 0 || !isKeeping()) await showInterest();
    const topics = topicsOf(filter);
    const from = lastEventId === null ? null : await finder.find(lastEventId);
    const reading = boards.read(topics);
    const parts = { ring, tellBoards: boards.tell, join };
    if (from !== null) {
      await reading;
      return (stream: Stream) => resume({ ...parts, stream }, from);
    }
    const [present] = await Promise.all([presentOf(filter), reading]);
    return (stream: Stream) => begin({ ...parts, stream }, present);
  }

  function start({ response, filter, expiresAt, correlationId, headers }: OpenParams): Stream {
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      [CORRELATION_HEADER]: correlationId,
    });
    const stream = createStream({
      response,
      filter,
      clock,
      onDropped(why) {
        dropped += 1;
        onDropped?.();
        log.warn({ correlationId }, `A live stream was closed. ${why}`);
      },
      onClosed() {
        expire();
        streams.delete(stream);
        audience.delete(stream);
        if (streams.size === 0) onLastClosed();
      },
    });
    const expire =
      expiresAt === null
        ? () => {}
        : clock.after(Math.max(0, expiresAt - now()), () =>
            stream.end(commentFrame('The token has ended.')),
          );
    streams.add(stream);
    return stream;
  }

  function join(stream: Stream): void {
    if (!stream.isOpen()) return;
    audience.add(stream);
    boards.tell(stream);
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const stop of stopListening) stop();
    timers.clear();
    boards.close();
    feed.close();
    for (const stream of streams) stream.end(commentFrame('This replica stops.'));
    await Promise.all([announcer.close(), lastClosed()]);
  }

  /** A reader who does not take the end is not waited for. */
  function lastClosed(): Promise<void> {
    if (streams.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const takeBack = clock.after(END_WITHIN_MS, () => {
        for (const stream of streams) stream.destroy();
      });
      onLastClosed = () => {
        takeBack();
        resolve();
      };
    });
  }

  return { open, streams: () => streams.size, dropped: () => dropped, close: shared(close) };
}

function stopping(): Refusal {
  return new Refusal(
    'too_many_streams',
    'This replica is about to stop. Ask again: another answers.',
  );
}

function tooMany(): Refusal {
  return new Refusal(
    'too_many_streams',
    `This replica has ${MOST_STREAMS} live streams open, which is the most it takes. Close some, or ask another.`,
  );
}
