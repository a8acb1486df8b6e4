import { Refusal } from '../../http/refusal.ts';

/** How many streams this replica takes, over all and of one caller, those that are about to open included. */
export interface Places {
  /** Throws `too_many_streams`. The place is free again when the answer is called. */
  take(caller: string): () => void;
}

const MOST_STREAMS = 10_000;

/** `perCaller`: nobody takes the places of all others by opening streams and leaving them. */
export function createPlaces(perCaller: number): Places {
  const taken = new Map<string, number>();
  let total = 0;

  return {
    take(caller) {
      const own = taken.get(caller) ?? 0;
      if (own >= perCaller) throw tooManyOf(own);
      if (total >= MOST_STREAMS) throw tooMany();
      taken.set(caller, own + 1);
      total += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        total -= 1;
        const left = (taken.get(caller) ?? 1) - 1;
        if (left > 0) taken.set(caller, left);
        else taken.delete(caller);
      };
    },
  };
}

function tooManyOf(own: number): Refusal {
  return new Refusal(
    'too_many_streams',
    `You have ${own} live streams open on this replica, the maximum per caller (MILLRACE_STREAMS_PER_CALLER). Close some.`,
  );
}

function tooMany(): Refusal {
  return new Refusal(
    'too_many_streams',
    `This replica has ${MOST_STREAMS} live streams open, its maximum. Close some, or connect to another replica.`,
  );
}
