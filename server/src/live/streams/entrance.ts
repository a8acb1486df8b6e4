import { Refusal } from '../../http/refusal.ts';
import type { Boards } from '../boards/boards.ts';
import type { Finder } from '../changes/finder.ts';
import type { Interest } from '../changes/interest.ts';
import type { Ring } from '../changes/ring.ts';
import type { Audience } from './audience.ts';
import { begin, resume } from './catch-up.ts';
import { type StreamFilter, topicsOf } from './filter.ts';
import type { Asked, OpenStreams } from './open-streams.ts';
import type { Places } from './places.ts';
import type { Present } from './present.ts';
import type { Stream } from './stream.ts';

/** The way of a reader from the request to the audience: a place, the present state or what was missed, then live. */
export interface Entrance {
  /** Answers the request with a stream. Throws before anything is sent if there cannot be one. */
  open(params: OpenParams): Promise<void>;
  /** From now on, nobody gets in. */
  close(): void;
}

export interface OpenParams extends Asked {
  /** The caller, who may have so many streams. */
  readonly caller: string;
  /** Of the last event that the reader has had. */
  readonly lastEventId: string | null;
}

export function createEntrance(params: {
  streams: OpenStreams;
  audience: Audience;
  ring: Ring;
  interest: Interest;
  finder: Finder;
  boards: Boards;
  presentOf: (filter: StreamFilter) => Promise<Present>;
  places: Places;
}): Entrance {
  const { streams, audience, ring, interest, finder, boards, presentOf, places } = params;
  let isClosed = false;

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
    if (streams.size() === 0 || !interest.isKeeping()) await interest.show();
    const from = lastEventId === null ? null : await finder.find(lastEventId);
    const reading = boards.read(topicsOf(filter));
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
