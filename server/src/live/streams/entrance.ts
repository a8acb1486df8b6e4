import { Refusal } from '../../http/refusal.ts';
import type { Boards } from '../boards/boards.ts';
import type { Interest } from '../changes/interest.ts';
import type { Audience } from './audience.ts';
import { type StreamFilter, topicsOf } from './filter.ts';
import { type Frame, eventFrame } from './frames.ts';
import type { Asked, OpenStreams } from './open-streams.ts';
import type { Places } from './places.ts';

/** The way of a reader from the request to the audience: a place, the present state, then what has changed since. */
export interface Entrance {
  /** Answers the request with a stream. Throws before anything is sent if there cannot be one. */
  open(params: OpenParams): Promise<void>;
  /** From now on, nobody gets in. */
  close(): void;
}

export interface OpenParams extends Asked {
  /** The caller, who may have so many streams. */
  readonly caller: string;
}

const HELLO = eventFrame({ type: 'hello' });
const LIVE = eventFrame({ type: 'live' });

export function createEntrance(params: {
  streams: OpenStreams;
  audience: Audience;
  interest: Interest;
  boards: Boards;
  presentOf: (filter: StreamFilter) => Promise<readonly Frame[]>;
  places: Places;
}): Entrance {
  const { streams, audience, interest, boards, presentOf, places } = params;
  let isClosed = false;

  async function open(asked: OpenParams): Promise<void> {
    if (isClosed) throw stopping();
    const { caller, filter, response } = asked;
    const leave = places.take(caller);
    const isFirst = streams.size() === 0;
    const stream = streams.open(asked, (closed) => {
      audience.delete(closed);
      leave();
    });
    // It holds what changes from here on, so nothing falls between the present state and the first change.
    audience.add(stream);
    try {
      if (isFirst || !interest.isKeeping()) await interest.show();
      const [present] = await Promise.all([presentOf(filter), boards.read(topicsOf(filter))]);
      if (isClosed && !response.destroyed) throw stopping();
      void stream.begin([HELLO, ...present, ...boards.begin(stream), LIVE]);
    } catch (error) {
      stream.discard();
      throw error;
    }
  }

  return {
    open,
    close() {
      isClosed = true;
    },
  };
}

function stopping(): Refusal {
  return new Refusal(
    'too_many_streams',
    'This replica is stopping. Connect again to reach another one.',
  );
}
