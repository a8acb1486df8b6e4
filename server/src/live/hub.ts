import type { Clock, Events, Log } from '@millrace/engine';
import type { Announcements } from '@millrace/store-postgres';
import { systemClock } from '../clock.ts';
import { Refusal } from '../http/refusal.ts';
import type { MainStore } from '../stores/parts.ts';
import { createBoards } from './boards/boards.ts';
import { createAnnouncer } from './changes/announcer.ts';
import { createFeed } from './changes/feed.ts';
import { createFinder } from './changes/finder.ts';
import { createInterest } from './changes/interest.ts';
import { createOthers } from './changes/others.ts';
import { createPoll } from './changes/poll.ts';
import { createRing } from './changes/ring.ts';
import { shared } from './shared.ts';
import { createAudience } from './streams/audience.ts';
import { begin, resume } from './streams/catch-up.ts';
import { topicsOf } from './streams/filter.ts';
import { type Follow, createFollowers } from './streams/followers.ts';
import { commentFrame } from './streams/frames.ts';
import { type Asked, createOpenStreams } from './streams/open-streams.ts';
import { createPlaces } from './streams/places.ts';
import { createPresent } from './streams/present.ts';
import type { Stream } from './streams/stream.ts';
import { createTimers } from './timers.ts';
import { type Things, createThings } from './things.ts';
import { type Topics, createTopics } from './topics.ts';
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
  /** Streams of workloads: the same rules hold for their readers. */
  readonly follow: Follow;
  streams(): number;
  /** How many were closed because their readers were too slow. */
  dropped(): number;
  /** Ends all streams, and tells the other processes what is left to tell. */
  close(): Promise<void>;
}

export interface OpenParams extends Asked {
  /** Who asks: one caller may have so many streams. */
  readonly caller: string;
  /** Of the last event that the reader has had. */
  readonly lastEventId: string | null;
}

export interface HubParams {
  readonly store: MainStore;
  readonly announcements: Announcements;
  readonly events: Events;
  /** What workloads announce and listen to. */
  readonly topics?: Topics;
  /** Where things of workloads are read. */
  readonly things?: Things;
  /** Unique over all processes and starts. */
  readonly processId: string;
  readonly log: Log;
  /** How many streams one caller may have open here. */
  readonly streamsPerCaller: number;
  /** False in a process without the route: it announces, but keeps nothing for readers. */
  readonly serves?: boolean;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly onDropped?: () => void;
}

const TICK_MS = 5_000;
/** In ticks. */
const EVERY = { boards: 2, heartbeat: 3, interest: 4 };

export function createHub(params: HubParams): Hub {
  const { store, announcements, events, processId, log } = params;
  const { serves = true, clock = systemClock, now = Date.now, onDropped = () => {} } = params;
  const { topics = createTopics(), things = createThings(new Map()) } = params;
  const trouble = createTrouble(log, 'Live events');
  const timers = createTimers(clock);
  const ring = createRing(clock);
  const audience = createAudience();
  const streams = createOpenStreams({ clock, now, log, onDropped });
  const places = createPlaces(params.streamsPerCaller);
  const followers = createFollowers({ clock, now, places });
  const announcer = createAnnouncer({ announcements, events, clock, processId, log });
  const finder = createFinder({ ring, clock, beacon: announcer.beacon });
  const poll = createPoll(store);
  const presentOf = createPresent({ store, things, ring, onRead: poll.shown });
  const boards = createBoards({
    store,
    events,
    clock,
    log,
    audience,
    onVanished: () => feed.gap(),
  });
  const interest = createInterest({ announcements, announcer, ring, clock, serves, onHeard });
  const { isKeeping } = interest;
  const others = createOthers({
    announcements,
    timers,
    poll,
    count: boards.count,
    isKeeping,
    onGap: () => feed.gap(),
    onPoll: () => feed.poll(),
  });
  const feed = createFeed({
    store,
    things,
    ring,
    clock,
    trouble,
    processId,
    watched: streams.watched,
    look: others.look,
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
  let ticks = 0;
  let isClosed = false;

  const stopListening = [
    announcements.listen((announcement) => {
      if (announcement.type === 'interest') return interest.hear();
      topics.heard(announcement.more ? null : announcement.jobs);
      if (!isKeeping()) return;
      feed.take(announcement);
      if (streams.size() > 0) boards.countSoon();
    }),
    // A `control` hint also comes after the connection to the store was lost: notifications may have been missed.
    store.watch(({ type }) => {
      if (type !== 'control') return;
      announcer.doubt();
      topics.heard(null);
      others.follow();
      if (isKeeping()) feed.gap();
    }),
  ];

  topics.connect({
    touch: announcer.touch,
    show: () => void quietly(interest.show),
  });

  function onHeard(wasDeaf: boolean): void {
    if (!serves || isClosed) return;
    if (wasDeaf) ring.clear();
    if (wasDeaf && streams.size() > 0) feed.gap();
    timers.once('tick', TICK_MS, tick);
    others.follow();
  }

  function tick(): void {
    ticks += 1;
    ring.trim();
    others.follow();
    for (const stream of streams) stream.check();
    const hasStreams = streams.size() > 0;
    if (ticks % EVERY.heartbeat === 0) beat('alive');
    if (hasStreams && ticks % EVERY.boards === 0) boards.refresh();
    const hasReaders = hasStreams || topics.size() > 0;
    if (hasReaders && ticks % EVERY.interest === 0) void quietly(interest.show);
    if (hasReaders || isKeeping()) timers.once('tick', TICK_MS, tick);
    else ring.clear();
  }

  /** Readers see that the line is alive, and get a place that the ring will have for another minute. */
  function beat(word: string): void {
    const live = new Set(audience);
    const [placed, plain] = [commentFrame(word, ring.endId()), commentFrame(word)];
    for (const stream of streams) stream.send(live.has(stream) ? placed : plain);
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
    const leave = places.take(asked.caller);
    try {
      const lead = await prepare(asked);
      if (asked.response.destroyed) return leave();
      if (isClosed) throw stopping();
      const stream = streams.open(asked, (closed) => {
        audience.delete(closed);
        leave();
      });
      void lead(stream);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Does everything that can fail, before a byte is sent, so that a failure can still be answered with a status.
   * Gives the function that leads a stream from there to the present.
   */
  async function prepare({ filter, lastEventId }: OpenParams) {
    if (streams.size() === 0 || !isKeeping()) await interest.show();
    const asked = topicsOf(filter);
    const from = lastEventId === null ? null : await finder.find(lastEventId);
    const reading = boards.read(asked);
    const parts = { ring, tellBoards: boards.tell, join };
    if (from !== null) {
      await reading;
      return (stream: Stream) => resume({ ...parts, stream }, from);
    }
    const [present] = await Promise.all([presentOf(filter), reading]);
    return (stream: Stream) => begin({ ...parts, stream }, present);
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
    followers.end('This replica stops.');
    await Promise.all([streams.end(commentFrame('This replica stops.')), announcer.close()]);
  }

  const { follow, size: following } = followers;
  const size = (): number => streams.size() + following();
  return { open, follow, streams: size, dropped: streams.dropped, close: shared(close) };
}

function stopping(): Refusal {
  return new Refusal(
    'too_many_streams',
    'This replica is about to stop. Ask again: another answers.',
  );
}
