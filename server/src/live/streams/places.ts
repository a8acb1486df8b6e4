import { createRoom } from '@millrace/workload-kit';
import { Refusal } from '../../http/refusal.ts';

/** How many streams this replica takes, over all and of one caller, those that are about to open included. */
export interface Places {
  /** Throws `too_many_streams`. The place is free again when the answer is called. */
  take(caller: string): () => void;
}

const MOST_STREAMS = 10_000;

/** `perCaller`: nobody takes the places of all others by opening streams and leaving them. */
export function createPlaces(perCaller: number): Places {
  const room = createRoom({ all: MOST_STREAMS, ofCaller: perCaller });
  return {
    take(caller) {
      const place = room.enter(caller);
      const full = place.take(1);
      if (full === null) return place.leave;
      throw new Refusal(
        'too_many_streams',
        full === 'caller'
          ? `You have ${perCaller} live streams open on this replica, the maximum per caller (MILLRACE_STREAMS_PER_CALLER). Close some.`
          : `This replica has ${MOST_STREAMS} live streams open, its maximum. Close some, or connect to another replica.`,
      );
    },
  };
}
