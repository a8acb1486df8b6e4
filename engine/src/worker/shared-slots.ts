import type { Clock } from '../time/clock.ts';

/**
 * Places for what a process can do only so often at once, whichever store its jobs come from: several orgs, Redis and the database each have a
 * worker of their own, and together they would claim a multiple of what can start.
 *
 *     a pool asks ──► enough free, nobody waits before it: reserved while its claim is under way ──► taken as far as jobs came
 *                └──► else it waits in line, and what comes free is for the first in it
 *
 * In line, so that a pool which needs several at once gets them beside one that takes each as it comes free.
 */
export interface SharedSlots {
  has(kind: string): boolean;
  /** `wake`: enough came free for a pool that was refused. */
  join(wake: () => void): Seat;
}

/** One pool's side of it. */
export interface Seat {
  /** How many a claim may ask for now, and keeps until `claimed`; 0 while fewer than `least` are free. */
  reserve(most: number, least: number): number;
  /** The claim has its answer, and so many of it. */
  claimed(count: number): void;
  /** Without asking: suspects run alone. */
  take(): void;
  give(): void;
  leave(): void;
}

interface Waiting {
  readonly least: number;
  readonly wake: () => void;
}

/** A pool that is held does not ask, and a store that is away does not answer: others go on after so long. */
const PATIENCE_MS = 5_000;

export function createSharedSlots(params: {
  readonly kinds: readonly string[];
  readonly limit: number;
  readonly clock: Clock;
}): SharedSlots {
  const { kinds, limit, clock } = params;
  const line = new Map<Seat, Waiting>();
  let taken = 0;
  let called: Seat | null = null;
  let cancelTimer: () => void = () => {};

  function free(): number {
    return limit - taken;
  }

  function change(by: number): void {
    taken += by;
    if (by < 0) callFirst();
  }

  function callFirst(): void {
    const [first] = line;
    if (first === undefined) return;
    const [seat, { least, wake }] = first;
    if (free() < least) return;
    wake();
    if (called === seat) return;
    called = seat;
    cancelTimer = clock.after(PATIENCE_MS, () => {
      leaveLine(seat);
      callFirst();
    });
  }

  function leaveLine(seat: Seat): void {
    line.delete(seat);
    if (called === seat) stopTimer();
  }

  function stopTimer(): void {
    called = null;
    cancelTimer();
  }

  function join(wake: () => void): Seat {
    let reserved = 0;
    let wanted = 0;
    let cancelReservation: () => void = () => {};
    const seat: Seat = {
      reserve(most, least) {
        const enough = Math.min(least, limit);
        const [first = seat] = line.keys();
        if (first !== seat || free() < enough) {
          line.set(seat, { least: enough, wake });
          if (called === seat) stopTimer();
          return 0;
        }
        leaveLine(seat);
        wanted = most;
        reserved = Math.min(most, free());
        change(reserved);
        cancelReservation = clock.after(PATIENCE_MS, () => claimed(0));
        callFirst();
        return reserved;
      },
      claimed,
      take: () => change(1),
      give: () => change(-1),
      leave() {
        claimed(0);
        leaveLine(seat);
        callFirst();
      },
    };

    function claimed(count: number): void {
      cancelReservation();
      const granted = reserved;
      reserved = 0;
      change(count - granted);
      // There may be more for it, and nothing else would call it when another pool gives a place back.
      if (count > 0 && count === granted && granted < wanted) line.set(seat, { least: 1, wake });
    }

    return seat;
  }

  return { has: (kind) => kinds.includes(kind), join };
}
