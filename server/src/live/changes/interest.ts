import type { Clock } from '@millrace/engine';
import type { Announcements, Announcer } from '@millrace/store-postgres';
import { shared } from '../shared.ts';

/** Whether someone watches, in whichever process: only then do processes announce, and read what is announced. */
export interface Interest {
  /** This process can rely on the others: they go on announcing for longer than it relies on them. */
  isKeeping(): boolean;
  /** A process says that someone watches. */
  hear(): void;
  /** Says so to all processes. */
  show(): Promise<void>;
}

/** Shorter than processes go on announcing after they last heard of a reader (90 s). */
const RELY_MS = 60_000;

export function createInterest(params: {
  announcements: Announcements;
  announcer: Announcer;
  clock: Clock;
  /** False in a process without streams: it announces, but reads nothing. */
  serves: boolean;
  /** `wasDeaf`: what was announced until now was not heard here. */
  onHeard: (wasDeaf: boolean) => void;
}): Interest {
  const { announcements, announcer, clock, serves, onHeard } = params;
  let heardAt = -Infinity;

  const isKeeping = (): boolean => serves && clock.now() - heardAt < RELY_MS;

  function hear(): void {
    const wasDeaf = !isKeeping();
    heardAt = clock.now();
    announcer.hear();
    onHeard(wasDeaf);
  }

  const show = shared(async () => {
    await announcements.announce({ announcement: { type: 'interest' } });
    hear();
  });

  return { isKeeping, hear, show };
}
