import type { Clock, Events, Log } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { type Announcements, createAnnouncer } from '@millrace/store-postgres';
import type { MainStore } from '../stores/parts.ts';
import { createBoards } from './boards/boards.ts';
import { createFeed } from './changes/feed.ts';
import { createInterest } from './changes/interest.ts';
import { createMoved } from './changes/moved.ts';
import { createOthers } from './changes/others.ts';
import { createPoll } from './changes/poll.ts';
import { createPulse } from './pulse.ts';
import { shared } from './shared.ts';
import { createAudience } from './streams/audience.ts';
import { type Entrance, createEntrance } from './streams/entrance.ts';
import { type Follow, createFollowers } from './streams/followers.ts';
import { commentFrame } from './streams/frames.ts';
import { createOpenStreams } from './streams/open-streams.ts';
import { createPlaces } from './streams/places.ts';
import { createPresent } from './streams/present.ts';
import { createTimers } from './timers.ts';
import { type Things, createThings } from './things.ts';
import { type Topics, createTopics } from './topics.ts';
import { createTrouble } from './trouble.ts';

/**
 * Live events. While someone watches, each process announces which jobs it has changed (announcer). The processes with
 * readers read those jobs (feed) and send them to their streams (audience). A new stream (entrance) is sent the present
 * state, then what has changed since.
 * Why there is no log of events: docs/decisions/0005-live-events.md.
 */
export interface Hub {
  readonly open: Entrance['open'];
  /** Streams of workloads: the same rules hold for their readers. */
  readonly follow: Follow;
  streams(): number;
  /** How many were closed because their readers were too slow. */
  dropped(): number;
  /** Ends all streams, and sends the remaining announcements to the other processes. */
  close(): Promise<void>;
}

export interface HubParams {
  readonly store: MainStore;
  readonly announcements: Announcements;
  readonly events: Events;
  /** The live interface for workloads: announce and listen. */
  readonly topics?: Topics;
  /** Where things of workloads are read. */
  readonly things?: Things;
  readonly log: Log;
  /** How many streams one caller may have open here. */
  readonly streamsPerCaller: number;
  /** False in a process without the route: it announces, but reads nothing. */
  readonly serves?: boolean;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly onDropped?: () => void;
}

export function createHub(params: HubParams): Hub {
  const { store, announcements, events, log } = params;
  const { serves = true, clock = systemClock, now = Date.now, onDropped = () => {} } = params;
  const { topics = createTopics(), things = createThings(new Map()) } = params;
  const trouble = createTrouble(log, 'Live events');
  const timers = createTimers(clock);
  const audience = createAudience();
  const streams = createOpenStreams({ clock, now, log, onDropped });
  const places = createPlaces(params.streamsPerCaller);
  const followers = createFollowers({ clock, now, places });
  const announcer = createAnnouncer({
    announcements,
    events,
    clock,
    outage: createTrouble(log, 'Announcing changes'),
  });
  const poll = createPoll(store);
  const moved = createMoved(store);
  const presentOf = createPresent({ store, things, onRead: poll.shown });
  const boards = createBoards({
    store,
    events,
    clock,
    log,
    audience,
    onVanished: () => feed.gap(),
  });
  const interest = createInterest({ announcements, announcer, clock, serves, onHeard });
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
    clock,
    trouble,
    watched: streams.watched,
    moved: moved.since,
    look: others.look,
    onBatch(batch, found) {
      poll.told(found);
      return audience.tell(batch, found);
    },
    onGap(found) {
      boards.refresh();
      return audience.reportGap(found);
    },
  });
  const pulse = createPulse({
    timers,
    streams,
    boards,
    interest,
    trouble,
    listeners: topics.size,
    onTick: others.follow,
  });
  const entrance = createEntrance({ streams, audience, interest, boards, presentOf, places });
  let isClosed = false;

  const stopListening = [
    announcements.listen((announcement) => {
      if (announcement.type === 'interest') return interest.hear();
      topics.heard(announcement.more ? null : announcement.jobs);
      if (!isKeeping() || streams.size() === 0) return;
      feed.take(announcement);
      boards.countSoon();
    }),
    // A `control` hint also comes after the connection to the store was lost: notifications may have been missed.
    store.watch(({ type }) => {
      if (type !== 'control') return;
      announcer.doubt();
      topics.heard(null);
      others.follow();
      if (streams.size() > 0) feed.gap();
    }),
  ];

  topics.connect({
    touch: announcer.touch,
    show: () => void trouble.during(interest.show),
  });

  function onHeard(wasDeaf: boolean): void {
    if (!serves || isClosed) return;
    if (wasDeaf) moved.begin();
    // Those that have not begun read the present state after this.
    if (wasDeaf && [...streams].some(({ board }) => board !== null)) feed.gap();
    pulse.start();
    others.follow();
  }

  async function close(): Promise<void> {
    isClosed = true;
    entrance.close();
    for (const stop of stopListening) stop();
    timers.clear();
    boards.close();
    feed.close();
    followers.end('This replica is stopping.');
    await Promise.all([streams.end(commentFrame('This replica is stopping.')), announcer.close()]);
  }

  return {
    open: entrance.open,
    follow: followers.follow,
    streams: () => streams.size() + followers.size(),
    dropped: streams.dropped,
    close: shared(close),
  };
}
