import type { Clock } from '@millrace/engine';
import type { Traits } from '../streams/filter.ts';
import type { Frame } from '../streams/frames.ts';
import type { Tenants } from './moved.ts';

/** One announcement with the frames that were made of it. */
export interface Batch {
  readonly mark: string;
  /** Positions count from 1 and are the same in every process; `more` has the last one. */
  readonly size: number;
  readonly jobs: readonly Told[];
  /** Other jobs have changed too. */
  readonly more: More | null;
}

export interface More {
  readonly frame: Frame;
  /** Whose they may be: nobody else is sent them. */
  readonly tenants: Tenants;
}

export interface Told {
  readonly position: number;
  readonly job: Traits;
  readonly frame: Frame;
}

/** Everything up to here has been sent: all batches before the number, and of that one up to the position. */
export interface Place {
  readonly number: number;
  readonly position: number;
}

/**
 * The announcements of the last minute, in the order in which every process hears them. A reader who comes back
 * with an event's id (`<mark>.<position>`) goes on from there, in whichever process; and one who reads the present
 * state goes on from where the ring was when the reading began, so nothing falls between.
 */
export interface Ring {
  append(batch: Batch): void;
  /** How many batches it has. */
  length(): number;
  end(): Place;
  /** The id of that place; null where nothing has been announced yet. */
  endId(): string | null;
  find(id: string): Place | null;
  /** What follows a place, and the place after it: null if nothing does yet, `lost` if it is not here any more. */
  next(place: Place): { readonly batch: Batch; readonly place: Place } | null | 'lost';
  trim(): void;
  /** Forgets everything: announcements were missed, so no reader can go on from a place before this. */
  clear(): void;
}

export const KEEP_MS = 60_000;
const KEEP_EVENTS = 10_000;

export function createRing(clock: Clock): Ring {
  /** From `lostUpTo + 1` to `last`, without a gap. */
  const batches = new Map<number, Batch & { readonly at: number }>();
  const numbers = new Map<string, number>();
  let last = 0;
  let lostUpTo = 0;
  let events = 0;

  /**
   * Drops what is older than KEEP_MS. The newest batch stays, however old: it is the place of readers who have
   * received everything.
   */
  function trim(): void {
    const oldest = clock.now() - KEEP_MS;
    for (const [number, { at, mark, jobs }] of batches) {
      if (number === last || (at >= oldest && events <= KEEP_EVENTS)) return;
      batches.delete(number);
      numbers.delete(mark);
      events -= jobs.length;
      lostUpTo = number;
    }
  }

  return {
    append(batch) {
      last += 1;
      batches.set(last, { ...batch, at: clock.now() });
      numbers.set(batch.mark, last);
      events += batch.jobs.length;
      trim();
    },
    length: () => batches.size,
    end: () => ({ number: last, position: Infinity }),
    endId() {
      const batch = batches.get(last);
      return batch === undefined ? null : `${batch.mark}.${batch.size}`;
    },
    find(id) {
      const [, mark = '', position] = /^(.+)\.(\d{1,6})$/.exec(id) ?? [];
      const number = numbers.get(mark);
      return number === undefined ? null : { number, position: Number(position) };
    },
    next({ number, position }) {
      const isWhole = position === Infinity;
      if (number < lostUpTo || (number === lostUpTo && !isWhole)) return 'lost';
      const found = isWhole ? number + 1 : number;
      const batch = batches.get(found);
      return batch === undefined ? null : { batch, place: { number: found, position: Infinity } };
    },
    trim,
    clear() {
      batches.clear();
      numbers.clear();
      events = 0;
      last += 1;
      lostUpTo = last;
    },
  };
}
